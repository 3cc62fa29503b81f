import { Button, List, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { UnsubscribeLink } from "../../../../src/http/admin/contract/inbox.ts";
import { ApiError, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { focusWhenShown } from "../../shared/focus-when-shown.ts";
import { ButtonLink } from "../../shared/links.tsx";
import { NOTIFICATION_KINDS } from "../../shared/notification-kinds.ts";
import { BlockSkeleton } from "../../shared/skeletons.tsx";
import { AuthLayout } from "./auth-layout.tsx";

/** The page of the link in e-mails about articles and webhooks. A person has to confirm, because mail scanners open links, too. */
export function UnsubscribePage(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash });
  const link = useQuery({
    queryKey: ["unsubscribe", token],
    queryFn: ({ signal }) => post<UnsubscribeLink>("/unsubscribe/link", { body: { token }, signal }),
    enabled: token !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isBad = token === "" || (link.error instanceof ApiError && link.error.status === 404);
  if (isBad) {
    return (
      <AuthLayout title="This link does not work">
        <Text size="sm">
          It may be incomplete, or your e-mail address has changed. Choose your e-mails under Account.
        </Text>
        <AccountLink />
      </AuthLayout>
    );
  }
  if (link.data === undefined) {
    return (
      <AuthLayout title="Turn e-mails off">
        <ErrorNote error={link.error} onRetry={() => void link.refetch()} />
        {link.error === null && <BlockSkeleton height={96} />}
      </AuthLayout>
    );
  }
  return <Loaded token={token} link={link.data} />;
}

function Loaded({
  token,
  link: { email, kinds, is_off: wasOff },
}: {
  token: string;
  link: UnsubscribeLink;
}): ReactNode {
  const stopping = useMutation({
    mutationFn: () => post("/unsubscribe", { query: { token } }),
  });
  const mails = <Mails kinds={kinds} />;
  if (wasOff || stopping.isSuccess) {
    return (
      <AuthLayout title="These e-mails are off">
        <Text ref={focusWhenShown} tabIndex={-1} role="status" size="sm">
          {email} no longer gets {kinds === null ? "the daily summary." : "e-mails when:"}
        </Text>
        {mails}
        <Text size="sm">
          Your inbox in the dashboard still has everything. You can turn them on again under Account.
        </Text>
        <AccountLink />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title="Turn e-mails off">
      <Text size="sm">
        {email} will no longer get {kinds === null ? "the daily summary." : "e-mails when:"}
      </Text>
      {mails}
      <ErrorNote error={stopping.error} />
      <Button size="md" fullWidth loading={stopping.isPending} onClick={() => stopping.mutate()}>
        Turn off
      </Button>
    </AuthLayout>
  );
}

function Mails({ kinds }: { kinds: UnsubscribeLink["kinds"] }): ReactNode {
  if (kinds === null) return null;
  return (
    <List size="sm">
      {NOTIFICATION_KINDS.filter(([kind]) => kinds.includes(kind)).map(([kind, label]) => (
        <List.Item key={kind}>{label}</List.Item>
      ))}
    </List>
  );
}

function AccountLink(): ReactNode {
  return (
    <ButtonLink to="/settings/account" hash="notifications" size="md" variant="default" fullWidth>
      Open the account
    </ButtonLink>
  );
}
