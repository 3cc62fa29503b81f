/** Keeps the line ends of the source: CodeMirror's document has only line feeds. */
import { invertedEffects } from "@codemirror/commands";
import {
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Text,
  type Transaction,
} from "@codemirror/state";

interface LineEnds {
  /** The most frequent line end; new lines get it. */
  usual: string;
  /** The end of each line but the last; null if all are the usual one. */
  each: readonly string[] | null;
}

const LINE_END = /\r\n?|\n/g;

export const setLineEnds = StateEffect.define<LineEnds>();

export function readLineEnds(source: string): LineEnds {
  const counts = { "\n": 0, "\r\n": 0, "\r": 0 };
  const each = source.match(LINE_END) ?? [];
  for (const end of each) counts[end as keyof typeof counts] += 1;
  const usual = counts["\r\n"] > counts["\n"] ? "\r\n" : "\n";
  return { usual, each: each.every((end) => end === usual) ? null : each };
}

/** The source as CodeMirror holds it; as many characters long as the document. */
export function toDocument(source: string): string {
  return source.replace(LINE_END, "\n");
}

/** Undoing an edit also restores the line ends that it removed. */
export function lineEnds(source: string): Extension {
  return [field.init(() => readLineEnds(source)), restoreOnUndo];
}

/** The source of the document, or of its part before a position. */
export function toSource(state: EditorState, end?: number): string {
  const { usual, each } = state.field(field);
  const text = state.sliceDoc(0, end);
  if (each === null) return usual === "\n" ? text : text.replaceAll("\n", usual);
  let line = 0;
  return text.replaceAll("\n", () => each[line++] ?? usual);
}

const field = StateField.define<LineEnds>({
  create: () => ({ usual: "\n", each: null }),
  update(ends, transaction) {
    // A group of edits that is undone at once lists the effects of its first edit last.
    const given = transaction.effects.findLast((effect) => effect.is(setLineEnds));
    if (given !== undefined) return given.value;
    if (!transaction.docChanged || ends.each === null) return ends;
    return { ...ends, each: replaceEnds(ends.each, ends.usual, transaction) };
  },
});

const restoreOnUndo = invertedEffects.of((transaction) => {
  const before = transaction.startState.field(field);
  const isReplaced = transaction.effects.some((effect) => effect.is(setLineEnds));
  return isReplaced || (transaction.docChanged && before.each !== null) ? [setLineEnds.of(before)] : [];
});

function replaceEnds(each: readonly string[], usual: string, { startState, changes }: Transaction): readonly string[] {
  const replaced: string[] = [];
  let kept = 0;
  changes.iterChanges((from, to, _from, _to, inserted: Text) => {
    const first = startState.doc.lineAt(from).number - 1;
    replaced.push(...each.slice(kept, first), ...Array<string>(inserted.lines - 1).fill(usual));
    kept = startState.doc.lineAt(to).number - 1;
  });
  return [...replaced, ...each.slice(kept)];
}
