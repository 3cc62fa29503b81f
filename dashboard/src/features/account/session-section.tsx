import { Button, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import IconDeviceDesktop from "@tabler/icons-react/dist/esm/icons/IconDeviceDesktop.mjs";
import IconDeviceMobile from "@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs";
import IconPointFilled from "@tabler/icons-react/dist/esm/icons/IconPointFilled.mjs";
import type { ReactNode } from "react";
import type { SessionList } from "../../../../src/http/admin/contract/session.ts";
import { apiPath, del } from "../../api/client.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { ErrorNote, toMessage } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { StatusBadge } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import { deviceName, isPhone } from "../../shared/device-name.ts";
import { usePasswordPrompt } from "./password-prompt.tsx";
import { sessionsQuery } from "./requests.ts";
import classes from "./rows.module.css";

type Session = SessionList["sessions"][number];

export function SessionSection(): ReactNode {
  const query = useQuery(sessionsQuery);
  const client = useQueryClient();
  const confirm = useConfirm();
  const password = usePasswordPrompt();
  const others = query.data?.sessions.filter(({ current }) => !current) ?? [];

  function signOutOthers(): void {
    void confirm({
      title: "Sign out everywhere else?",
      body: "Only this device stays signed in.",
      confirmLabel: "Sign out everywhere else",
      action: () =>
        password.run(async () => {
          try {
            for (const { id } of others) await del(apiPath`/sessions/${id}`);
          } finally {
            await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
          }
        }),
    });
  }

  return (
    <Section
      title="Sessions"
      description="Where you are signed in. If you do not recognise a session, end it and change your password."
      actions={
        others.length > 1 && (
          <Button variant="default" onClick={signOutOthers}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {query.isPending && <RowsSkeleton rows={2} rowHeight={56} />}
      <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
      {query.data && (
        <ul className={classes.rows} aria-label="Your sessions">
          {inOrder(query.data.sessions).map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      {password.dialog}
    </Section>
  );
}

function SessionRow({ session }: { session: Session }): ReactNode {
  const client = useQueryClient();
  const password = usePasswordPrompt();
  const end = useMutation({
    mutationFn: () =>
      password.run(async () => {
        await del(apiPath`/sessions/${session.id}`);
        await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      }),
  });
  const Icon = isPhone(session.user_agent) ? IconDeviceMobile : IconDeviceDesktop;
  const name = deviceName(session.user_agent);
  return (
    <li className={classes.row}>
      <Icon size={20} aria-hidden />
      <div className={classes.texts}>
        <span className={classes.name} title={session.user_agent}>
          {name}
          {session.current && <StatusBadge tone="good" label="This device" Icon={IconPointFilled} />}
        </span>
        <span className={classes.facts}>
          {session.address} · active <Time at={session.last_seen_at} bare /> · signed in{" "}
          <Time at={session.created_at} bare />
        </span>
        {end.error && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {toMessage(end.error)}
          </Text>
        )}
      </div>
      {!session.current && (
        <Button
          variant="default"
          size="xs"
          loading={end.isPending}
          onClick={() => end.mutate()}
          aria-label={`Sign out ${name}, ${session.address}`}
        >
          Sign out
        </Button>
      )}
      {password.dialog}
    </li>
  );
}

/** Sorts this device first, then by last activity. */
function inOrder(sessions: readonly Session[]): Session[] {
  return sessions.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || b.last_seen_at.localeCompare(a.last_seen_at),
  );
}
