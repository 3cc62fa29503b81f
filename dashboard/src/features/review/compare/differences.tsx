import type { ReactNode } from "react";
import { DiffView } from "./diff-view.tsx";
import { FieldsView } from "./fields-view.tsx";
import { blocksOnLines } from "./rows.ts";
import type { Side } from "./side.ts";

/** What a comparison shows beside the changes in the article itself. */
export type SourceView = "fields" | "markdown" | "html";

interface DifferencesProps {
  before: Side;
  after: Side;
  view: SourceView;
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
