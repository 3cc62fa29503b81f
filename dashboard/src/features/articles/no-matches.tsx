import { Button } from "@mantine/core";
import IconMoodEmpty from "@tabler/icons-react/dist/esm/icons/IconMoodEmpty.mjs";
import IconSearchOff from "@tabler/icons-react/dist/esm/icons/IconSearchOff.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "../../shared/empty-state.tsx";
import type { ArticleCounts } from "../../../../src/http/admin/contract/articles.ts";
import { ButtonLink } from "../../shared/links.tsx";
import { type ArticlesSearch, hasFilter, toTab } from "./search.ts";
import { getViewLabels, VIEWS } from "./views.ts";

interface NoMatchesProps {
  search: ArticlesSearch;
  /** Numbers of matching articles; undefined until they are loaded. */
  counts: ArticleCounts | undefined;
  onClear: () => void;
}

/** Shown when the tab is empty, or when nothing in it matches: then with the tabs that have matches. */
export function NoMatches({ search, counts, onClear }: NoMatchesProps): ReactNode {
  const labels = getViewLabels(search.view);
  if (!hasFilter(search)) {
    return (
      <EmptyState icon={<IconMoodEmpty size={28} />} title={labels.none}>
        {labels.empty}
      </EmptyState>
    );
  }
  const others = VIEWS.filter(({ view }) => (counts?.[view] ?? 0) > 0);
  return (
    <EmptyState
      icon={<IconSearchOff size={28} />}
      title="Nothing found"
      actions={
        <>
          {others.map(({ view, label }) => (
            <ButtonLink key={view} to="/articles" search={toTab(search, view)} variant="light">
              {`${label} (${counts?.[view].toLocaleString("en")})`}
            </ButtonLink>
          ))}
          <Button variant="default" onClick={onClear}>
            Clear search and filters
          </Button>
        </>
      }
    >
      {others.length === 0 && counts !== undefined
        ? "No article matches in any tab."
        : `No matches under “${labels.label}”.${others.length > 0 ? " Other tabs have matches:" : ""}`}
    </EmptyState>
  );
}

/** Shown when what is searched for cannot be: it has no letters or digits, or too many words. */
export function NoWords({ message, onClear }: { message: string; onClear: () => void }): ReactNode {
  return (
    <EmptyState
      icon={<IconSearchOff size={28} />}
      title="Nothing found"
      actions={
        <Button variant="default" onClick={onClear}>
          Clear the search
        </Button>
      }
    >
      {message}
    </EmptyState>
  );
}
