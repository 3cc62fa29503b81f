/** Converts typed Markdown: `# `, `- [ ] `, `**bold**`, `[text](address)`. */
import { InputRule, inputRules, wrappingInputRule } from "prosemirror-inputrules";
import { closeHistory } from "prosemirror-history";
import type { MarkType, NodeType } from "prosemirror-model";
import { type Command, type EditorState, type Plugin, TextSelection, type Transaction } from "prosemirror-state";
import { cleanAddress } from "../document/addresses.ts";
import type { Format } from "../document/fingerprint.ts";
import { boxSource, schema } from "../document/schema.ts";
import { footnoteRules } from "./footnotes.ts";
import { addressRule } from "./typed-addresses.ts";

const { nodes, marks } = schema;

export function typingShortcuts(format: Format): Plugin {
  return inputRules({
    rules: [
      block(/^(#{1,6})\s$/, nodes.heading, ([, signs]) => ({ level: signs?.length ?? 1 })),
      block(/^`{3}([^\s`]*)\s$/, nodes.code_block, ([, info]) => ({ info: info ?? "" })),
      wrappingInputRule(/^>\s$/, nodes.blockquote),
      wrappingInputRule(/^[-*+]\s$/, nodes.bullet_list),
      // Not years.
      wrappingInputRule(/^(\d{1,3})[.)]\s$/, nodes.ordered_list, ([, number]) => ({ order: Number(number) })),
      new InputRule(/^\[([ xX]?)\]\s$/, format === "markdown" ? makeTask : insertBox),
      new InputRule(/^---$/, (state, _, start) => replaceByRule(state, start)),
      new InputRule(/(!?)\[([^[\]]*)\]\(((?:[^\s()]|\([^\s()]*\))+)(?:\s"([^"]*)")?\)$/, linkOrImage, OUTSIDE_CODE),
      ...(format === "markdown" ? footnoteRules : []),
      addressRule,
      marked(/(?<![*\\])\*{3}([^*\s](?:[^*]*[^*\s])?)\*{3}$/, 3, marks.strong, marks.em),
      marked(/(?<![*\\])\*{2}([^*\s](?:[^*]*[^*\s])?)\*{2}$/, 2, marks.strong),
      marked(/(?<![*\\\p{N}\p{sc=Latin}])\*([^*\s](?:[^*]*[^*\s])?)\*$/u, 1, marks.em),
      marked(/(?<![_\\\p{L}\p{N}])_{3}([^_\s](?:[^_]*[^_\s])?)_{3}$/u, 3, marks.strong, marks.em),
      marked(/(?<![_\\\p{L}\p{N}])__([^_\s](?:[^_]*[^_\s])?)__$/u, 2, marks.strong),
      marked(/(?<![_\\\p{L}\p{N}])_([^_\s](?:[^_]*[^_\s])?)_$/u, 1, marks.em),
      marked(/(?<![~\\])~~([^~\s](?:[^~]*[^~\s])?)~~$/, 2, marks.strike),
      marked(/(?<![`\\])`([^`]+)`$/, 1, marks.code),
    ],
  });
}

/** What Enter completes: a fence of code with its language, or a divider. `rules`: the plugin that takes it back. */
export function enterRules(rules: Plugin): Command {
  return (state, dispatch) => {
    const { selection } = state;
    const { $from } = selection;
    if (!(selection instanceof TextSelection) || !selection.empty || $from.parent.type !== nodes.paragraph)
      return false;
    if ($from.parentOffset !== $from.parent.content.size) return false;
    const text = $from.parent.textContent;
    const info = /^(?:`{3}|~{3})([^\s`~]*)$/.exec(text)?.[1];
    let tr: Transaction | null = null;
    if (info !== undefined) tr = toBlock(state, $from.start(), $from.pos, nodes.code_block, { info });
    else if (/^(?:\*{3}|_{3})$/.test(text)) tr = replaceByRule(state, $from.pos);
    if (tr === null) return false;
    dispatch?.(closeHistory(tr).setMeta(rules, { transform: tr, from: $from.pos, to: $from.pos, text: "" }));
    return true;
  };
}

const OUTSIDE_CODE = { inCodeMark: false };

function block(pattern: RegExp, type: NodeType, toAttrs: (match: RegExpMatchArray) => object): InputRule {
  return new InputRule(pattern, (state, match, start, end) => toBlock(state, start, end, type, toAttrs(match)));
}

function toBlock(state: EditorState, start: number, end: number, type: NodeType, attrs: object): Transaction | null {
  const place = state.doc.resolve(start);
  const { parent } = place;
  if (parent.type === type || !place.node(-1).canReplaceWith(place.index(-1), place.indexAfter(-1), type)) return null;
  const { sid } = parent.attrs;
  return state.tr.delete(start, end).setBlockType(start, start, type, { ...attrs, sid });
}

function replaceByRule(state: EditorState, at: number): Transaction | null {
  const place = state.doc.resolve(at);
  if (place.parent.type !== nodes.paragraph || place.depth !== 1) return null;
  const tr = state.tr.replaceWith(place.before(), place.after(), [nodes.rule.create(), nodes.paragraph.create()]);
  return tr.setSelection(TextSelection.create(tr.doc, place.before() + 2));
}

/** `[ ] ` at the beginning of an item makes it a task. */
function makeTask(state: EditorState, match: RegExpMatchArray, start: number, end: number): Transaction | null {
  const place = state.doc.resolve(start);
  const item = place.depth > 1 ? place.node(-1) : null;
  if (item?.type !== nodes.list_item || item.firstChild !== place.parent || item.attrs["checked"] !== null) return null;
  const checked = match[1]?.toLowerCase() === "x";
  return state.tr.delete(start, end).setNodeAttribute(place.before(-1), "checked", checked);
}

/** In HTML a task's box is an element of its text. */
function insertBox(state: EditorState, match: RegExpMatchArray, start: number, end: number): Transaction | null {
  const place = state.doc.resolve(start);
  if (place.depth < 2 || place.node(-1).type !== nodes.list_item) return null;
  const box = nodes.inline_island.create({ source: boxSource(match[1]?.toLowerCase() === "x") });
  return state.tr.replaceWith(start, end, [box, schema.text(" ")]);
}

function linkOrImage(state: EditorState, match: RegExpMatchArray, start: number, end: number): Transaction | null {
  const [, bang, text = "", address = "", title = null] = match;
  const target = cleanAddress(address);
  const tr = state.tr;
  if (bang === "!") {
    return tr.replaceWith(start, end, nodes.image.create({ src: target, alt: text, title }));
  }
  if (text.trim() === "") return null;
  // The formats of the text stay.
  return tr
    .delete(start + 1 + text.length, end)
    .delete(start, start + 1)
    .removeMark(start, start + text.length, marks.link)
    .addMark(start, start + text.length, marks.link.create({ href: target, title }))
    .removeStoredMark(marks.link);
}

/** The last character of the sign was just typed, and is not yet in the document. */
function marked(pattern: RegExp, length: number, ...types: readonly MarkType[]): InputRule {
  return new InputRule(
    pattern,
    (state, match, start, end) => {
      const text = match[1] ?? "";
      // A sign within an address is a part of it.
      if (/(?:https?:\/\/|www\.)\S*$/i.test(match.input?.slice(0, match.index) ?? "")) return null;
      const tr = state.tr.delete(start + length + text.length, end).delete(start, start + length);
      for (const type of types) tr.addMark(start, start + text.length, type.create());
      for (const type of types) tr.removeStoredMark(type);
      return tr;
    },
    OUTSIDE_CODE,
  );
}
