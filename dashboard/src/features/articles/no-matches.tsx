import { Button } from "@mantine/core";
import IconMoodEmpty from "@tabler/icons-react/dist/esm/icons/IconMoodEmpty.mjs";
import IconSearchOff from "@tabler/icons-react/dist/esm/icons/IconSearchOff.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "../../shared/empty-state.tsx";
import type { ArticlesSearch } from "./search.ts";
import { getViewLabels } from "./views.ts";

/** Shown when the tab is empty or nothing in it matches. */
export function NoMatches({ search, onClear }: { search: ArticlesSearch; onClear: () => void }): ReactNode {
  const { view, q, category, tag, keyword, author } = search;
  const labels = getViewLabels(view);
  if ([q, category, tag, keyword, author].every((filter) => filter === undefined)) {
    return (
      <EmptyState icon={<IconMoodEmpty size={28} />} title={`${labels.label}: no articles`}>
        {labels.empty}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconSearchOff size={28} />}
      title="Nothing found"
      actions={
        <Button variant="default" onClick={onClear}>
          Clear search and filters
        </Button>
      }
    >
      {`No article under “${labels.label}” matches. Your search stays when you open another tab.`}
    </EmptyState>
  );
}
