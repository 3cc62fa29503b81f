import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ArticleListItem, ArticleSort } from "../../../../src/http/admin/contract/articles.ts";
import type { Queue } from "../../shared/article-queue.ts";
import { Time } from "../../shared/time.tsx";
import classes from "./article-lines.module.css";

interface ArticleLinesProps {
  lines: readonly ArticleListItem[];
  /** The review queue that the links open. */
  view: Queue;
  /** The date to show. */
  date: "state_since" | "publish_at";
  /** Shown if there are none. */
  none: string;
}

/** The orders of the lists, where they are not the queue's own. */
const SORTS: Partial<Record<Queue, { sort: ArticleSort }>> = {
  in_review: { sort: "state_since" },
  published: { sort: "-state_since" },
};

export function ArticleLines({ lines, view, date, none }: ArticleLinesProps): ReactNode {
  if (lines.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  }
  return (
    <ul className={classes.list}>
      {lines.map((line) => (
        <li key={line.id} className={classes.line}>
          <Link to="/articles/$id" params={{ id: line.id }} search={{ view, ...SORTS[view] }} className={classes.title}>
            {line.title}
          </Link>
          <span className={classes.when}>
            <Time at={line[date]} none="" />
          </span>
        </li>
      ))}
    </ul>
  );
}
