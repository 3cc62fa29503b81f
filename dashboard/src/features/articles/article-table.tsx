import { Checkbox } from "@mantine/core";
import IconArrowDown from "@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs";
import IconArrowUp from "@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ArticleListItem, ArticleSort } from "../../../../src/http/admin/contract/articles.ts";
import { ArticleStatusBadge, BlockedMark, CommentsBadge, DraftBadge } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import classes from "./article-table.module.css";
import { ScoreCell } from "./score.tsx";
import { type ArticlesSearch, toQueue } from "./search.ts";
import type { Selection } from "./selection.ts";
import { getViewLabels } from "./views.ts";

interface ArticleTableProps {
  lines: readonly ArticleListItem[];
  search: ArticlesSearch;
  onSort: (sort: ArticleSort | undefined) => void;
  /** null: there are no bulk actions. */
  selection: Selection | null;
  /** Whether the rows are those of the previous query while new ones load. */
  isStale: boolean;
  /** Id of the article that was last open; null for none. */
  last: string | null;
}

export function ArticleTable({ lines, search, onSort, selection, isStale, last }: ArticleTableProps): ReactNode {
  const { date } = getViewLabels(search.view);
  const isEverything = selection?.isEverything === true;
  const chosen = isEverything ? lines.length : lines.filter(({ id }) => selection?.chosen.has(id)).length;
  const sort = { current: search.sort, onSort };
  return (
    <table className={classes.table} aria-busy={isStale} data-stale={isStale || undefined}>
      <thead>
        <tr>
          {selection !== null && (
            <th className={classes.choose}>
              <Checkbox
                size="xs"
                aria-label="Select all on this page"
                label={<span className={classes.all}>Select all</span>}
                checked={chosen > 0 && chosen === lines.length}
                indeterminate={chosen > 0 && chosen < lines.length}
                onChange={() => selection.toggleAll(lines)}
              />
            </th>
          )}
          <SortHead label="Article" by="title" firstDescending={false} {...sort} />
          <th className={classes.score}>Quality</th>
          <th className={classes.words}>Words</th>
          <SortHead label={date.label} by={date.sort} className={classes.date} {...sort} />
          <SortHead label="Updated" by="updated_at" className={classes.changed} {...sort} />
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Row key={line.id} line={line} search={search} selection={selection} isLast={line.id === last} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  line,
  search,
  selection,
  isLast,
}: Pick<ArticleTableProps, "search" | "selection"> & { line: ArticleListItem; isLast: boolean }): ReactNode {
  const { date, isMixed } = getViewLabels(search.view);
  const isChosen = selection !== null && (selection.isEverything || selection.chosen.has(line.id));
  return (
    <tr data-article={line.id} data-chosen={isChosen || undefined} data-last={isLast || undefined}>
      {selection !== null && (
        <td className={classes.choose}>
          <Checkbox
            size="xs"
            aria-label={`Select ${line.title}`}
            checked={isChosen}
            // The change event has no `shiftKey`; the click event before it has.
            onClick={({ shiftKey }) => selection.toggle(line, shiftKey)}
            onChange={() => undefined}
          />
        </td>
      )}
      <td className={classes.article}>
        <div className={classes.heading}>
          <Link to="/articles/$id" params={{ id: line.id }} search={toQueue(search)} className={classes.title}>
            {line.title}
          </Link>
          {isMixed === true && <ArticleStatusBadge article={line} />}
          {line.has_draft && search.view !== "drafts" && <DraftBadge />}
          {line.is_blocked && <BlockedMark />}
          {line.open_comments > 0 && <CommentsBadge count={line.open_comments} />}
        </div>
        <div className={classes.facts}>
          {line.author !== null && <span>{line.author.name}</span>}
          {line.assignee !== null && <span>{`Assigned to ${line.assignee.name}`}</span>}
          {line.target_keyword !== null && <span className={classes.keyword}>{line.target_keyword}</span>}
          {line.excerpt !== "" && <span className={classes.excerpt}>{line.excerpt}</span>}
          <span className={classes.narrow}>
            {`Quality ${line.score} · ${date.label.toLowerCase()} `}
            <Time at={date.of(line)} bare />
          </span>
        </div>
      </td>
      <td className={classes.score}>
        <ScoreCell value={line.score} />
      </td>
      <td className={classes.words}>{line.word_count.toLocaleString("en")}</td>
      <td className={classes.date}>
        <Time at={date.of(line)} none="–" bare />
      </td>
      <td className={classes.changed}>
        <Time at={line.updated_at} bare />
      </td>
    </tr>
  );
}

interface SortHeadProps {
  label: string;
  /** null: not sortable. */
  by: "title" | "created_at" | "updated_at" | "published_at" | "state_since" | null;
  firstDescending?: boolean;
  className?: string | undefined;
  current: ArticleSort | undefined;
  onSort: (sort: ArticleSort | undefined) => void;
}

/** The first click sorts, the second reverses the order, the third resets it. */
function SortHead({ label, by, firstDescending = true, className, current, onSort }: SortHeadProps): ReactNode {
  if (by === null) return <th className={className}>{label}</th>;
  const orders: [ArticleSort, ArticleSort] = firstDescending ? [`-${by}`, by] : [by, `-${by}`];
  const isDescending = current === `-${by}`;
  const isSorted = isDescending || current === by;
  const next = current === orders[0] ? orders[1] : current === orders[1] ? undefined : orders[0];
  return (
    <th className={className} aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}>
      <button type="button" className={classes.sort} data-sorted={isSorted || undefined} onClick={() => onSort(next)}>
        {label}
        {isDescending || !isSorted ? <IconArrowDown size={13} aria-hidden /> : <IconArrowUp size={13} aria-hidden />}
      </button>
    </th>
  );
}
