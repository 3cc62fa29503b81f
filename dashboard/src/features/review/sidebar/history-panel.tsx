import { Button, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { HistoryEntry } from "../../../../../src/http/admin/contract/review.ts";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { RowsSkeleton } from "../../../shared/skeletons.tsx";
import { nameActor } from "../../../shared/actors.ts";
import { Time } from "../../../shared/time.tsx";
import { formatDay } from "../compare/side.ts";
import { historyQuery } from "../queries.ts";
import classes from "./history-panel.module.css";
import { getNote, describeEntry } from "./history-labels.ts";

interface HistoryPanelProps {
  websiteId: string;
  id: string;
  onCompare: (revision: string) => void;
}

/** Who did what and when, with comparisons where the text changed. */
export function HistoryPanel({ websiteId, id, onCompare }: HistoryPanelProps): ReactNode {
  const history = useInfiniteQuery(historyQuery(websiteId, id));
  if (history.data === undefined) {
    return history.error === null ? (
      <RowsSkeleton rows={5} rowHeight={44} />
    ) : (
      <ErrorNote error={history.error} onRetry={() => void history.refetch()} />
    );
  }
  const entries = history.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is no history yet. Edits, approvals and publications will be listed here.
      </Text>
    );
  }
  return (
    <>
      <ol className={classes.list}>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} onCompare={onCompare} />
        ))}
      </ol>
      <ErrorNote error={history.error} />
      {history.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </>
  );
}

function Entry({ entry, onCompare }: { entry: HistoryEntry; onCompare: HistoryPanelProps["onCompare"] }): ReactNode {
  const { at, by, revision } = entry;
  const note = getNote(entry);
  return (
    <li className={classes.entry}>
      <div className={classes.line}>
        <span className={classes.words}>
          <b>{nameActor(by.id, by.name)}</b> {describeEntry(entry)}
        </span>
        {revision !== null && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Compare, ${formatDay(at)}`}
            onClick={() => onCompare(revision)}
          >
            Compare
          </Button>
        )}
      </div>
      {note !== null && <div className={classes.note}>{note}</div>}
      <Text component="div" size="xs" c="dimmed">
        <Time at={at} />
      </Text>
    </li>
  );
}
