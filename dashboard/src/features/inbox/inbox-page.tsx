import { ActionIcon, Button, Group, SegmentedControl, Tooltip } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import IconBell from "@tabler/icons-react/dist/esm/icons/IconBell.mjs";
import IconMail from "@tabler/icons-react/dist/esm/icons/IconMail.mjs";
import IconMailOpened from "@tabler/icons-react/dist/esm/icons/IconMailOpened.mjs";
import { type MouseEvent, type ReactNode, useRef } from "react";
import type { NotificationPage } from "../../../../src/http/admin/contract/inbox.ts";
import { get, post } from "../../api/client.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { INBOX_KEY } from "../../shared/inbox.ts";
import { ButtonLink, TextLink } from "../../shared/links.tsx";
import { Page } from "../../shared/page.tsx";
import { useSession } from "../../shared/session.tsx";
import { useShortcuts } from "../../shared/shortcuts.tsx";
import { ShowEarlier } from "../../shared/show-earlier.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { Time } from "../../shared/time.tsx";
import classes from "./inbox-page.module.css";

const route = getRouteApi("/signed-in/inbox");

type Notification = NotificationPage["notifications"][number];

export function InboxPage(): ReactNode {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useRef<HTMLUListElement>(null);
  const query = useInfiniteQuery({
    queryKey: [...INBOX_KEY, "list", show ?? "all"],
    queryFn: ({ signal, pageParam }) =>
      get<NotificationPage>("/inbox", {
        query: { unread: show === "unread" ? "true" : null, cursor: pageParam },
        signal,
      }),
    // Keeps the current entries on the screen until the new ones arrive.
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  const pages = query.data?.pages ?? [];
  const notifications = pages.flatMap((page) => page.notifications);
  const groups = [...Map.groupBy(notifications, (one) => one.target_id ?? one.id).values()];
  const unread = pages[0]?.unread ?? 0;
  const refetch = () => client.invalidateQueries({ queryKey: INBOX_KEY });
  const marking = useMutation({
    mutationFn: ({ all, read }: { all: readonly Notification[]; read: boolean }) =>
      post("/inbox/read", { body: { ids: all.map(({ id }) => id), read } }),
    onSettled: refetch,
  });
  const markingAll = useMutation({
    mutationFn: (until: string) => post("/inbox/read-all", { body: { until } }),
    onSettled: refetch,
  });
  const [newest] = notifications;
  const markAll = () => {
    if (newest !== undefined) markingAll.mutate(newest.at);
  };
  const mark = (all: readonly Notification[] | undefined) => {
    if (all !== undefined) marking.mutate({ all, read: isUnread(all) });
  };
  const links = () => [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-group]") ?? [])];
  const focused = () => links().findIndex((link) => link === document.activeElement);
  const move = (step: 1 | -1) => links()[Math.max(0, focused() + step)]?.focus();
  useShortcuts([
    { keys: "j", label: "Next", run: () => move(1) },
    { keys: "k", label: "Previous", run: () => move(-1) },
    { keys: "m", label: "Mark as read, or as unread", run: () => mark(groups[focused()]) },
    { keys: "shift+m", label: "Mark all as read", run: markAll, disabled: unread === 0 },
  ]);
  return (
    <Page
      title="Inbox"
      description="What happened to your articles, on all of your websites."
      actions={
        <>
          <ButtonLink to="/settings/account" hash="notifications" variant="default">
            Settings
          </ButtonLink>
          <Button variant="default" disabled={unread === 0} loading={markingAll.isPending} onClick={markAll}>
            Mark all as read
          </Button>
        </>
      }
    >
      <SegmentedControl
        w="fit-content"
        size="sm"
        aria-label="Which notifications"
        value={show ?? "all"}
        onChange={(value) =>
          void navigate({ search: (now) => ({ ...now, show: value === "unread" ? value : undefined }), replace: true })
        }
        data={[
          { value: "all", label: "All" },
          { value: "unread", label: "Unread" },
        ]}
      />
      <ErrorNote error={query.error} title="The inbox could not be loaded" onRetry={() => void query.refetch()} />
      <ErrorNote error={marking.error ?? markingAll.error} />
      {query.isPending && <RowsSkeleton rows={6} rowHeight={70} />}
      {query.data !== undefined && groups.length === 0 && <EmptyInbox isUnread={show === "unread"} />}
      {groups.length > 0 && (
        <ul className={classes.list} ref={list}>
          {groups.map((all) => (
            <NotificationGroup
              key={all[0]?.target_id ?? all[0]?.id}
              all={all}
              onOpen={() => {
                if (isUnread(all)) marking.mutate({ all, read: true });
              }}
              onMark={() => mark(all)}
            />
          ))}
        </ul>
      )}
      <ShowEarlier query={query} />
    </Page>
  );
}

function isUnread(all: readonly Notification[]): boolean {
  return all.some(({ read_at: readAt }) => readAt === null);
}

function EmptyInbox({ isUnread: isOnlyUnread }: { isUnread: boolean }): ReactNode {
  return (
    <EmptyState icon={<IconBell size={28} />} title={isOnlyUnread ? "You are all caught up" : "Nothing here yet"}>
      {isOnlyUnread ? (
        <TextLink to="/inbox" inherit>
          Show all
        </TextLink>
      ) : (
        "You'll be notified here when articles are waiting for your review, when yours are approved, published or sent back, and when somebody mentions you."
      )}
    </EmptyState>
  );
}

/** An article or a webhook with its notifications, newest first. */
function NotificationGroup(props: { all: readonly Notification[]; onOpen: () => void; onMark: () => void }): ReactNode {
  const { all, onOpen, onMark } = props;
  const { websites } = useSession();
  const router = useRouter();
  const [newest] = all;
  if (newest === undefined) return null;
  const isNew = isUnread(all);
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onOpen();
    // The browser opens other tabs itself.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    router.history.push(newest.path);
  };
  const label = isNew ? "Mark as read" : "Mark as unread";
  const name = getName(newest);
  return (
    <li className={classes.group} data-unread={isNew || undefined}>
      <div className={classes.texts}>
        <div className={classes.name}>
          <a href={newest.path} onClick={open} data-group>
            {name}
          </a>
          {websites.length > 1 && <span className={classes.website}>{newest.website.name}</span>}
        </div>
        <ul className={classes.events}>
          {all.map((one) => (
            <li key={one.id} data-unread={one.read_at === null || undefined}>
              <span>{one.sentence}</span> <span className={classes.when}>{<Time at={one.at} bare />}</span>
              {one.text !== null && <blockquote className={classes.quote}>{one.text}</blockquote>}
            </li>
          ))}
        </ul>
      </div>
      <Group gap={4} wrap="nowrap">
        <Tooltip label={label}>
          <ActionIcon variant="subtle" color="gray" aria-label={`${label}: ${name}`} onClick={onMark}>
            {isNew ? <IconMailOpened size={18} /> : <IconMail size={18} />}
          </ActionIcon>
        </Tooltip>
      </Group>
    </li>
  );
}

/** Words before a name that is not an article's title. */
const KIND_OF_TITLE: Partial<Record<Notification["kind"], string>> = {
  webhook_failing: "Webhook ",
  token_expiring: "Access token ",
  sender_needs_attention: "Sender ",
  sender_silent: "Sender ",
};

function getName({ title, count, kind }: Notification): string {
  if (title !== null) return `${KIND_OF_TITLE[kind] ?? ""}${title}`;
  return count === 1 ? "An article" : `${count.toLocaleString("en")} articles`;
}
