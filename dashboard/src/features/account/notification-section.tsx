import { Checkbox, Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { NotificationSettings } from "../../../../src/http/admin/contract/inbox.ts";
import { put } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { NOTIFICATION_KINDS } from "../../shared/notification-kinds.ts";
import { Section } from "../../shared/page.tsx";
import { useSession } from "../../shared/session.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { notificationsQuery } from "./requests.ts";

/** Chooses which notifications the user gets by e-mail. */
export function NotificationSection(): ReactNode {
  const query = useQuery(notificationsQuery);
  const hash = useLocation({ select: (location) => location.hash });
  const top = useRef<HTMLDivElement>(null);
  const isLoaded = query.data !== undefined;
  useEffect(() => {
    if (isLoaded && hash === "notifications") top.current?.scrollIntoView();
  }, [isLoaded, hash]);
  return (
    <div id="notifications" ref={top}>
      <Section
        title="Notifications"
        description="Your inbox has every notification. If e-mail is set up, you can also get unread ones by e-mail."
      >
        {query.isPending && <RowsSkeleton rows={4} rowHeight={32} />}
        <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
        {query.data && <Settings settings={query.data} />}
      </Section>
    </div>
  );
}

function Settings({ settings: saved }: { settings: NotificationSettings }): ReactNode {
  // Shows a change before it is saved.
  const [settings, setSettings] = useState(saved);
  const { websites } = useSession();
  const client = useQueryClient();
  const { queryKey } = notificationsQuery;
  const saving = useMutation({
    scope: { id: "notification-settings" },
    mutationFn: ({ sends_mail: _sendsMail, ...body }: NotificationSettings) => put("/notification-settings", { body }),
    onMutate: setSettings,
    onSuccess: (_none, next) => client.setQueryData(queryKey, next),
    onError: () => setSettings(saved),
  });
  if (!settings.sends_mail) {
    return (
      <Text size="sm" c="dimmed">
        E-mail is not set up for this service.
      </Text>
    );
  }
  const { mail, muted } = settings;
  const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const kinds = NOTIFICATION_KINDS.filter(([, , roles]) => websites.some(({ role }) => roles.includes(role)));
  return (
    <Stack gap="md">
      <Radio.Group
        label="E-mails"
        value={mail}
        onChange={(value) => saving.mutate({ ...settings, mail: value, time_zone: timeZone })}
      >
        <Stack gap={8} mt={6}>
          <Radio value="soon" label="Within a few minutes, grouped into one e-mail" />
          <Radio
            value="daily"
            label="A daily summary at 8:00"
            description={`In your time zone: ${mail === "daily" ? settings.time_zone : timeZone}`}
          />
          <Radio value="never" label="None" />
        </Stack>
      </Radio.Group>
      {mail !== "never" && (
        <Checkbox.Group
          label="E-mail me when"
          value={kinds.map(([kind]) => kind).filter((kind) => !muted.includes(kind))}
          onChange={(chosen) => {
            const hidden = muted.filter((kind) => kinds.every(([shown]) => shown !== kind));
            const off = kinds.map(([kind]) => kind).filter((kind) => !chosen.includes(kind));
            saving.mutate({ ...settings, muted: [...hidden, ...off] });
          }}
        >
          <Stack gap={8} mt={6}>
            {kinds.map(([kind, label]) => (
              <Checkbox key={kind} value={kind} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <ErrorNote error={saving.error} />
    </Stack>
  );
}
