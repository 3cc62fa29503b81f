import { Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";
import classes from "./bulk-bar.module.css";
import type { Selection } from "./selection.ts";
import { formatCount } from "./views.ts";

interface SelectEverythingProps {
  selection: Selection;
  lines: readonly ArticleListItem[];
  /** Number of matching articles. */
  total: number;
}

/** Offers to select all matching articles once a whole page is selected. */
export function SelectEverything({ selection, lines, total }: SelectEverythingProps): ReactNode {
  const { chosen, isEverything } = selection;
  if (!isEverything && (total <= lines.length || !lines.every(({ id }) => chosen.has(id)))) return null;
  return (
    <div className={classes.everything} role="status">
      <Text size="sm" span>
        {isEverything
          ? `All ${formatCount(total)} that match are selected.`
          : `All ${formatCount(lines.length)} on this page are selected.`}
      </Text>
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => (isEverything ? selection.clear() : selection.selectEverything())}
      >
        {isEverything ? "Clear the selection" : `Select all ${total.toLocaleString("en")} that match`}
      </Button>
    </div>
  );
}
