/** Links typed addresses: at the next space or sign, at Enter, and when the caret leaves them. */
import { InputRule } from "prosemirror-inputrules";
import { closeHistory } from "prosemirror-history";
import type { Node } from "prosemirror-model";
import { type EditorState, Plugin, PluginKey, TextSelection, type Transaction } from "prosemirror-state";
import { ReplaceStep } from "prosemirror-transform";
import type { EditorView } from "prosemirror-view";
import { autolinkTarget, findAddresses, isAutolink } from "../document/addresses.ts";
import { schema } from "../document/schema.ts";

const { marks } = schema;

/** A word, and what ends it. */
export const addressRule = new InputRule(
  /(?:^|\s)(\S+)([\s,;!)])$/u,
  ({ doc, tr }, match, start, end) => {
    const [, word = "", sign = ""] = match;
    const from = start + match[0].length - word.length - sign.length;
    const found = lastAddress(word);
    // A parenthesis may close one in the address.
    if (found === null || (sign === ")" && /\([^)]*$/.test(found.text))) return null;
    const linked = linkAddress(tr, doc, from + found.from, from + found.to);
    return linked && tr.insertText(sign, end).removeStoredMark(marks.link);
  },
  { inCodeMark: false },
);

/** Whether the text before the caret has just been typed. */
const key = new PluginKey<boolean>("typed-addresses");

/** Links what was typed before the caret if no sign ended it. */
export function typedAddresses(): Plugin<boolean> {
  return new Plugin<boolean>({
    key,
    state: {
      init: () => false,
      apply: (tr, isTyped, { selection }) => (tr.docChanged ? isTyping(tr) : isTyped && tr.selection.eq(selection)),
    },
    appendTransaction: (_, before, { doc, tr }) => {
      if (key.getState(before) !== true || doc !== before.doc) return null;
      return tr.selection.eq(before.selection) ? null : linkBefore(before, tr);
    },
    view: (view) => {
      // Before the source is written on the same events.
      const onKey = (event: KeyboardEvent) => {
        const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
        if (event.key === "Enter" || isSave) linkTyped(view);
      };
      const onBlur = () => linkTyped(view);
      view.dom.addEventListener("keydown", onKey, { capture: true });
      view.dom.addEventListener("blur", onBlur, { capture: true });
      return {
        destroy: () => {
          view.dom.removeEventListener("keydown", onKey, { capture: true });
          view.dom.removeEventListener("blur", onBlur, { capture: true });
        },
      };
    },
  });
}

function linkTyped(view: EditorView): void {
  if (key.getState(view.state) !== true || view.composing) return;
  const tr = linkBefore(view.state, view.state.tr);
  if (tr !== null) view.dispatch(tr);
}

function isTyping(tr: Transaction): boolean {
  const [step] = tr.steps;
  if (tr.steps.length !== 1 || !(step instanceof ReplaceStep) || tr.getMeta("uiEvent") !== undefined) return false;
  return step.slice.size > 0 && step.slice.content.firstChild?.isText === true;
}

function linkBefore({ doc, selection }: EditorState, tr: Transaction): Transaction | null {
  if (!(selection instanceof TextSelection) || !selection.empty) return null;
  const { $from } = selection;
  if ($from.parent.type.spec.code === true) return null;
  const before = $from.parent.textBetween(0, $from.parentOffset, null, "\uFFFC");
  const word = /\S+$/u.exec(before)?.[0] ?? "";
  const found = lastAddress(word);
  if (found === null) return null;
  const from = $from.pos - word.length;
  const linked = linkAddress(tr, doc, from + found.from, from + found.to);
  return linked && closeHistory(linked);
}

/** The address with which a word ends, apart from signs. */
function lastAddress(word: string): ReturnType<typeof findAddresses>[number] | null {
  const found = findAddresses(word).at(-1);
  if (found === undefined || /[\p{L}\p{N}]/u.test(word.slice(found.to))) return null;
  // The target of a link in Markdown that is not finished.
  return word.slice(0, found.from).endsWith("](") ? null : found;
}

/** @returns null if it is linked already, to there or elsewhere, or is code. */
function linkAddress(tr: Transaction, doc: Node, from: number, to: number): Transaction | null {
  const text = doc.textBetween(from, to, null, "\uFFFC");
  const href = autolinkTarget(text);
  if (href === null) return null;
  let isFree = true;
  let isLinked = true;
  doc.nodesBetween(from, to, (node) => {
    if (!node.isText) return;
    const link = marks.link.isInSet(node.marks);
    if (marks.code.isInSet(node.marks)) isFree = false;
    if (link !== undefined && !isAutolink(node.text ?? "", String(link.attrs["href"]))) isFree = false;
    if (link?.attrs["href"] !== href) isLinked = false;
  });
  if (!isFree || isLinked) return null;
  return tr.removeMark(from, to, marks.link).addMark(from, to, marks.link.create({ href }));
}
