/** The article's links, with what the service found when it last followed them. */
import { Button, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCircleCheck from "@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs";
import IconCircleX from "@tabler/icons-react/dist/esm/icons/IconCircleX.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { TextLink } from "../../../shared/links.tsx";
import { Time } from "../../../shared/time.tsx";
import classes from "../sidebar/quality-panel.module.css";
import { Outside } from "../sidebar/seo-panel.tsx";
import { askLinks, isWaiting, type Link, linksQuery, MAX_CHECKED_LINKS, type Tone, toneOf } from "./checked-links.ts";
import { listLinks } from "./list-links.ts";

interface LinksPanelProps {
  websiteId: string;
  id: string;
  html: string;
  /** Base URL of relative links; null if unknown. */
  base: string | null;
}

export function LinksPanel({ websiteId, id, html, base }: LinksPanelProps): ReactNode {
  const client = useQueryClient();
  const links = useMemo(() => listLinks(html, base), [html, base]);
  const urls = links.slice(0, MAX_CHECKED_LINKS);
  const query = linksQuery(websiteId, id, urls);
  const checked = useQuery({ ...query, enabled: urls.length > 0 });
  const again = useMutation({
    mutationFn: () => askLinks(id, { urls, again: true }),
    onSuccess: (answer) => client.setQueryData(query.queryKey, answer),
  });
  if (urls.length === 0) return null;
  const found = (checked.data?.links ?? []).toSorted((a, b) => ORDER.indexOf(toneOf(a)) - ORDER.indexOf(toneOf(b)));
  const isChecking = found.some(isWaiting);
  return (
    <section aria-label="Links">
      <Group justify="space-between" mb={8}>
        <h2 className={classes.heading} style={{ margin: 0 }}>
          Links{" "}
          <Text span inherit c="dimmed" fw={400}>
            {links.length}
          </Text>
        </h2>
        <Button
          size="compact-xs"
          variant="default"
          disabled={isChecking || checked.data === undefined}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          Check again
        </Button>
      </Group>
      <ErrorNote error={checked.error ?? again.error} />
      <ul className={classes.checks} aria-busy={isChecking}>
        {found.map((link) => (
          <li key={link.url} className={classes.check}>
            <LinkMark tone={toneOf(link)} />
            <div>
              <div className={classes.target}>
                <Outside url={link.url} />
              </div>
              <div className={classes.measured}>
                <LinkState link={link} />
              </div>
            </div>
          </li>
        ))}
      </ul>
      {links.length > urls.length && (
        <Text size="xs" c="dimmed" mt={8}>
          Only the first {urls.length} links are checked.
        </Text>
      )}
    </section>
  );
}

const ORDER: readonly Tone[] = ["fail", "warn", "wait", "pass"];

function LinkMark({ tone }: { tone: Tone }): ReactNode {
  const Icon = MARKS[tone];
  return <Icon size={17} className={classes.mark} data-status={tone} aria-hidden />;
}

const MARKS = { fail: IconCircleX, warn: IconAlertTriangle, wait: IconClock, pass: IconCircleCheck } as const;

function LinkState({ link: { check, article } }: { link: Link }): ReactNode {
  if (article !== null) {
    const { id, status, is_former } = article;
    const what = is_former
      ? "An earlier address of"
      : status === "published"
        ? "Leads to"
        : "Readers find nothing there until you publish";
    return (
      <>
        {what}{" "}
        <TextLink inherit to="/articles/$id" params={{ id }}>
          {status === "published" ? "a published article" : "this article"}
        </TextLink>
      </>
    );
  }
  if (check === null || check.state === "waiting") return "Checking…";
  const { state, reason, leads_to, checked_at } = check;
  return (
    <>
      {state === "redirected" ? `Redirects to ${leads_to ?? "another address"}` : STATES[state]}
      {reason !== null && `: ${reason}`}, checked <Time at={checked_at} />
    </>
  );
}

const STATES = { reachable: "Reachable", broken: "Broken", unclear: "Could not be checked" } as const;
