/** Shown in place of an article that is loading or could not be loaded. */
import { Skeleton } from "@mantine/core";
import IconFileOff from "@tabler/icons-react/dist/esm/icons/IconFileOff.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { BackLink, ButtonLink } from "../../shared/links.tsx";
import { PageHeader } from "../../shared/page.tsx";
import classes from "./review.module.css";

export function ReviewSkeleton(): ReactNode {
  return (
    <>
      <div className={classes.row} role="progressbar" aria-busy aria-label="Loading">
        <Skeleton h={22} w={420} maw="70%" radius="xl" my={7} />
        <Skeleton h={22} w={180} radius="xl" my={7} />
      </div>
      <div className={classes.panes}>
        <Skeleton radius="md" className={classes.article} />
        <Skeleton radius="md" className={classes.sidebar} />
      </div>
    </>
  );
}

export function MissingArticle(props: { error: unknown; isMissing: boolean; onRetry: () => void }): ReactNode {
  if (!props.isMissing) {
    return (
      <>
        <PageHeader title="Article" back={<BackLink to="/articles">Articles</BackLink>} />
        <ErrorNote error={props.error} onRetry={props.onRetry} />
      </>
    );
  }
  return (
    <>
      <PageHeader title="Article not found" back={<BackLink to="/articles">Articles</BackLink>} />
      <EmptyState
        icon={<IconFileOff size={28} />}
        title="It is not on this website"
        actions={<ButtonLink to="/articles">All articles</ButtonLink>}
      >
        It may have been removed from the trash, or belong to another of your websites.
      </EmptyState>
    </>
  );
}
