/** Marks the passages that a colleague's change has brought. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { diffArrays } from "diff";
import classes from "./source-editor.module.css";

export interface TextChange {
  /** The range in the earlier text. */
  from: number;
  to: number;
  insert: string;
}

/** What differs, line by line, so that positions in between stay. */
export function findTextChanges(before: string, after: string): TextChange[] {
  const changes: TextChange[] = [];
  let at = 0;
  let last: TextChange | undefined;
  for (const { added, removed, value } of diffArrays(before.split(/(?<=\n)/), after.split(/(?<=\n)/))) {
    const text = value.join("");
    if (!added && !removed) {
      last = undefined;
      at += text.length;
      continue;
    }
    if (last === undefined) {
      last = { from: at, to: at, insert: "" };
      changes.push(last);
    }
    if (added) last.insert += text;
    else last.to = at += text.length;
  }
  return changes.map((change) => trim(change, before));
}

/** Leaves out what is equal at both ends. */
function trim({ from, to, insert }: TextChange, before: string): TextChange {
  let start = 0;
  while (from + start < to && start < insert.length && before[from + start] === insert[start]) start += 1;
  let end = 0;
  while (
    to - end > from + start &&
    insert.length - end > start &&
    before[to - end - 1] === insert[insert.length - end - 1]
  ) {
    end += 1;
  }
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}

interface Range {
  from: number;
  to: number;
}

const setMarks = StateEffect.define<readonly Range[]>();

export function markMerged(changes: readonly TextChange[]): StateEffect<readonly Range[]> {
  let shift = 0;
  const ranges = changes.map(({ from, to, insert }) => {
    const start = from + shift;
    shift += insert.length - (to - from);
    return { from: start, to: start + insert.length };
  });
  return setMarks.of(ranges.filter(({ from, to }) => from < to));
}

export function unmarkMerged(): StateEffect<readonly Range[]> {
  return setMarks.of([]);
}

const mark = Decoration.mark({ class: classes.merged ?? "" });

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes }) {
    const given = effects.findLast((effect) => effect.is(setMarks));
    if (given === undefined) return marks.map(changes);
    return Decoration.set(given.value.map(({ from, to }) => mark.range(from, to)));
  },
  provide: (marks) => EditorView.decorations.from(marks),
});

export const mergedRanges: Extension = field;
