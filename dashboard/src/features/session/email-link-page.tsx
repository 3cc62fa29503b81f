import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChangedEmail, UndoneEmail } from "../../../../src/http/admin/contract/session.ts";
import { post } from "../../api/client.ts";
import { SESSION_KEY } from "../../api/session.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ButtonLink } from "../../shared/links.tsx";
import { AuthLayout } from "./auth-layout.tsx";

/** The page of the link sent to a new address. A person has to confirm, because mail scanners open links, too. */
export function ConfirmEmailPage(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash });
  const client = useQueryClient();
  const confirming = useMutation({
    mutationFn: () => post<ChangedEmail>("/confirm-email", { body: { token } }),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION_KEY }),
  });
  if (confirming.data !== undefined) {
    return (
      <AuthLayout title="Your e-mail address was changed">
        <Text size="sm">From now on you sign in as {confirming.data.email}.</Text>
        <ButtonLink to="/" size="md" fullWidth>
          Continue
        </ButtonLink>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout
      title="Confirm your e-mail address"
      description="You will sign in with this address and get your e-mails there."
    >
      <ErrorNote error={confirming.error} />
      <Button size="md" fullWidth loading={confirming.isPending} onClick={() => confirming.mutate()}>
        Confirm this address
      </Button>
    </AuthLayout>
  );
}

/** The page of the link sent to the earlier address. */
export function UndoEmailPage(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash });
  const navigate = useNavigate();
  const undoing = useMutation({
    mutationFn: () => post<UndoneEmail>("/undo-email", { body: { token } }),
    onSuccess: (undone) => navigate({ to: "/welcome", hash: undone.token, replace: true }),
  });
  return (
    <AuthLayout
      title="Take your account back"
      description="Your previous e-mail address is restored, all sessions end, and you choose a new password."
    >
      <ErrorNote error={undoing.error} />
      <Button size="md" fullWidth color="red" loading={undoing.isPending} onClick={() => undoing.mutate()}>
        Undo the change
      </Button>
    </AuthLayout>
  );
}
