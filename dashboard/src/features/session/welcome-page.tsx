import { Code, List } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { LinkAnswer } from "../../../../src/http/admin/contract/session.ts";
import { ApiError, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ButtonLink } from "../../shared/links.tsx";
import { FormSkeleton } from "../../shared/skeletons.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { WelcomeForm } from "./welcome-form.tsx";

/** The target of one-time links. The token is after `#`, so that no server or log in between has ever seen it. */
export function WelcomePage(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash });
  const [isReset, setReset] = useState(false);
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: ({ signal }) => post<LinkAnswer>("/welcome/link", { body: { token }, signal }),
    enabled: token !== "" && !isReset,
    staleTime: Number.POSITIVE_INFINITY,
  });

  if (isReset) return <ResetDone />;
  if (token === "" || (link.error instanceof ApiError && link.error.status === 404)) return <BadLink />;
  const { title, description } = textsFor(link.data);
  return (
    <AuthLayout title={title} description={description}>
      <ErrorNote error={link.error} onRetry={() => void link.refetch()} />
      {link.isPending && <FormSkeleton fields={2} />}
      {link.data && <WelcomeForm token={token} link={link.data} onReset={() => setReset(true)} />}
    </AuthLayout>
  );
}

function textsFor(link: LinkAnswer | undefined): { title: string; description: string } {
  if (link?.purpose === "invitation" && link.has_password) return NEW_MEMBERSHIP;
  return TEXTS[link?.purpose ?? "none"];
}

/** Somebody else may know how to sign in to the account, so the invitation replaces all credentials. */
const NEW_MEMBERSHIP = {
  title: "Accept the invitation",
  description:
    "Choose a new password. It replaces your current one, and removes your passkeys and your authenticator: set them up again afterwards.",
};

const TEXTS = {
  none: { title: "Welcome", description: "Checking your link…" },
  "set-up": {
    title: "Set up Rostrum",
    description: "You are the first user, so you become the owner: you can do everything and invite others.",
  },
  invitation: { title: "Welcome to Rostrum", description: "You were invited. Choose a password to get started." },
  reset: {
    title: "Choose a new password",
    description: "All your sessions end, on every device. Sign in with the new password afterwards.",
  },
} as const satisfies Record<LinkAnswer["purpose"] | "none", { title: string; description: string }>;

function ResetDone(): ReactNode {
  return (
    <AuthLayout title="Your password was changed" description="You are signed out everywhere.">
      <ButtonLink to="/sign-in" size="md" fullWidth>
        Sign in
      </ButtonLink>
    </AuthLayout>
  );
}

function BadLink(): ReactNode {
  return (
    <AuthLayout
      title="This link is no longer valid"
      description="A link works once and for a limited time. It may have been used already, or only part of it was copied."
    >
      <List size="sm" spacing="sm">
        <List.Item>If you have chosen a password before, sign in with it.</List.Item>
        <List.Item>If you were invited, ask the person who invited you for a new link.</List.Item>
        <List.Item>
          If you run this service, restart it to get a new link for the first owner, or run{" "}
          <Code>rostrum user reset-password</Code> with your e-mail address.
        </List.Item>
      </List>
      <ButtonLink to="/sign-in" size="md" fullWidth variant="default">
        Sign in
      </ButtonLink>
    </AuthLayout>
  );
}
