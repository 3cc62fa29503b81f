import type { ReactNode } from "react";
import type { CompareView } from "./compare-modal.tsx";
import { DiffView } from "./diff-view.tsx";
import { FieldsView } from "./fields-view.tsx";
import { blocksOnLines } from "./rows.ts";
import type { Side } from "./side.ts";

interface DifferencesProps {
  before: Side;
  after: Side;
  view: Exclude<CompareView, "article">;
}

/** A separate chunk of the script, loaded with the first comparison. */
export function Differences({ before, after, view }: DifferencesProps): ReactNode {
  const names = [before.name, after.name] as const;
  if (view === "fields") return <FieldsView before={before.content} after={after.content} names={names} />;
  if (view === "markdown") {
    return <DiffView before={before.content.markdown} after={after.content.markdown} names={names} isSource />;
  }
  return (
    <DiffView
      before={blocksOnLines(before.content.content)}
      after={blocksOnLines(after.content.content)}
      names={names}
      isSource
    />
  );
}
