import { Group, SegmentedControl, Select, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AuditEntryPage } from "../../../../src/http/admin/contract/audit.ts";
import { get } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { TextLink } from "../../shared/links.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page } from "../../shared/page.tsx";
import { useMayEverywhere, useSession, useWebsite } from "../../shared/session.tsx";
import { ShowEarlier } from "../../shared/show-earlier.tsx";
import { RowsSkeleton } from "../../shared/skeletons.tsx";
import { Time } from "../../shared/time.tsx";
import classes from "./audit-page.module.css";
import { type EntryGroup, groupEntries } from "./groups.ts";
import { type AuditSearch, isSubject, SUBJECTS } from "./search.ts";
import { formatActor, type AuditEntry, formatFacts, getTargetName, buildSentence } from "./messages.ts";

const route = getRouteApi("/signed-in/website/settings/audit");

export function AuditPage(): ReactNode {
  return useWebsite().can("audit.read") ? <Log /> : <NoAccess title="Audit log" needs="owner" />;
}

function Log(): ReactNode {
  const website = useWebsite();
  const mayEverywhere = useMayEverywhere("audit.read");
  const navigate = route.useNavigate();
  const { scope, about } = route.useSearch();
  const isAll = scope === "all" && mayEverywhere;
  const websiteId = isAll ? undefined : website.id;
  const query = useInfiniteQuery({
    queryKey: ["audit", websiteId, about],
    queryFn: ({ signal, pageParam }) =>
      get<AuditEntryPage>("/audit", { query: { website_id: websiteId, about, cursor: pageParam }, signal }),
    // Keep what is on the screen until the new entries arrive.
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  const show = (wish: AuditSearch) => void navigate({ search: (now) => ({ ...now, ...wish }), replace: true });
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Page
      title="Audit log"
      description={
        isAll
          ? "Who did what, when and from where, on every website, including sign-ins."
          : `Who did what on ${website.name}, when, and from where.`
      }
    >
      <Group gap="sm">
        {mayEverywhere && (
          <SegmentedControl
            w="fit-content"
            size="sm"
            aria-label="Which entries"
            value={isAll ? "all" : "one"}
            onChange={(value) => show({ scope: value === "all" ? "all" : undefined })}
            data={[
              { value: "one", label: "This website" },
              { value: "all", label: "Everything" },
            ]}
          />
        )}
        <Select
          w={220}
          aria-label="About"
          placeholder="All types"
          clearable
          clearButtonProps={{ "aria-label": "All types" }}
          data={Object.entries(SUBJECTS).map(([value, label]) => ({ value, label }))}
          value={about ?? null}
          onChange={(value) => show({ about: isSubject(value) ? value : undefined })}
        />
      </Group>
      <ErrorNote error={query.error} title="The log could not be loaded" onRetry={() => void query.refetch()} />
      {query.isPending && <RowsSkeleton rows={8} rowHeight={57} />}
      {query.data !== undefined && entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {about === undefined
            ? "No entries yet. Approvals, publications, keys, webhooks and members are recorded here."
            : "No entries of this kind yet."}
        </Text>
      )}
      {entries.length > 0 && (
        <ol className={classes.list}>
          {groupEntries(entries).map((group) => (
            <Row key={group[0].id} group={group} />
          ))}
        </ol>
      )}
      <ShowEarlier query={query} />
    </Page>
  );
}

function Row({ group }: { group: EntryGroup }): ReactNode {
  const [isOpen, { toggle }] = useDisclosure(false);
  const [entry] = group;
  if (group.length === 1) {
    return (
      <li className={classes.entry}>
        <What entry={entry} />
        <When entry={entry} />
      </li>
    );
  }
  const { before, after } = buildSentence(entry);
  return (
    <li className={classes.entry}>
      <div className={classes.what}>
        <strong>{formatActor(entry)}</strong>
        {` ${before}`}
        <UnstyledButton className={classes.unfold} aria-expanded={isOpen} onClick={toggle}>
          {`${group.length.toLocaleString("en")} articles`}
          <IconChevronRight size={14} className={classes.chevron} />
        </UnstyledButton>
        {after}
        {isOpen && (
          <ul className={classes.each}>
            {group.map((one) => (
              <li key={one.id}>
                <SubjectLink entry={one} />
                <FactsLine entry={one} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <When entry={entry} />
    </li>
  );
}

function What({ entry }: { entry: AuditEntry }): ReactNode {
  const { before, after } = buildSentence(entry);
  return (
    <div className={classes.what}>
      <strong>{formatActor(entry)}</strong>
      {` ${before}`}
      {after !== null && <SubjectLink entry={entry} />}
      {after}
      <FactsLine entry={entry} />
    </div>
  );
}

function FactsLine({ entry }: { entry: AuditEntry }): ReactNode {
  const facts = formatFacts(entry);
  return facts === "" ? null : <div className={classes.facts}>{facts}</div>;
}

function When({ entry }: { entry: AuditEntry }): ReactNode {
  const { name, email } = entry.actor;
  return (
    <div className={classes.when}>
      <Time at={entry.at} />
      {entry.address !== null && <div>{`from ${entry.address}`}</div>}
      {name !== null && email !== null && <div>{email}</div>}
    </div>
  );
}

function SubjectLink({ entry }: { entry: AuditEntry }): ReactNode {
  const { websites } = useSession();
  const { kind, id } = entry.target;
  // A website's entry contains only the changed fields.
  const name = getTargetName(entry) ?? websites.find((one) => one.id === id)?.name ?? id;
  if (kind === "article") {
    return (
      <TextLink to="/articles/$id" params={{ id }} inherit>
        {name}
      </TextLink>
    );
  }
  if (kind === "webhook" && entry.action !== "webhook.deleted") {
    return (
      <TextLink to="/settings/webhooks/$id" params={{ id }} inherit>
        {name}
      </TextLink>
    );
  }
  return <em className={classes.name}>{name}</em>;
}
