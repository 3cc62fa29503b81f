import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";
import { DEFAULT_QUEUE, type Queue } from "../../shared/article-queue.ts";
import { Time } from "../../shared/time.tsx";
import classes from "./article-lines.module.css";

interface ArticleLinesProps {
  lines: readonly ArticleListItem[];
  /** The review queue that the links open. */
  view: Queue;
  /** The date to show. */
  date: "created_at" | "published_at" | "publish_at";
  /** Shown if there are none. */
  none: string;
}

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
          <Link
            to="/articles/$id"
            params={{ id: line.id }}
            search={view === DEFAULT_QUEUE ? { view, sort: "created_at" as const } : { view }}
            className={classes.title}
          >
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
