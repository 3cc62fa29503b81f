/** Footnotes of a Markdown article: their numbers, what they say, and new ones. */
import { InputRule } from "prosemirror-inputrules";
import type { Node } from "prosemirror-model";
import {
  type Command,
  type EditorState,
  NodeSelection,
  Plugin,
  TextSelection,
  type Transaction,
} from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { schema } from "../document/schema.ts";

const { nodes } = schema;

/** Inserts a reference at the caret and an empty note at the end, and goes there. */
export const insertFootnote: Command = (state, dispatch) => {
  const { selection, doc } = state;
  if (!(selection instanceof TextSelection) || !canRefer(state, selection.from)) return false;
  const label = nextLabel(doc);
  const tr = state.tr.replaceSelectionWith(nodes.footnote_reference.create({ label }), true);
  const at = tr.doc.content.size;
  tr.insert(at, nodes.footnote.create({ label }, nodes.paragraph.create()));
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, at + 2)).scrollIntoView());
  return true;
};

/** `[^1]` refers to a note that exists; `[^1]: ` begins it. */
export const footnoteRules: readonly InputRule[] = [
  new InputRule(/\[\^([^\s\]\\^[]{1,100})\]$/, (state, match, start, end) => {
    const label = match[1] ?? "";
    if (findNote(state.doc, label) === null || !canRefer(state, start)) return null;
    return state.tr.replaceWith(start, end, nodes.footnote_reference.create({ label }));
  }),
  new InputRule(/^\[\^([^\s\]\\^[]{1,100})\]:\s$/, (state, match, start, end) => {
    const label = match[1] ?? "";
    const place = state.doc.resolve(start);
    if (place.depth !== 1 || place.parent.type !== nodes.paragraph || findNote(state.doc, label) !== null) return null;
    const rest = place.parent.content.cut(end - place.start());
    const note = nodes.footnote.create({ label }, nodes.paragraph.create(null, rest));
    const tr = state.tr.replaceWith(place.before(), place.after(), note);
    tr.setSelection(TextSelection.create(tr.doc, place.before() + 2));
    return referTo(tr, label);
  }),
];

/** Shows what a note says beside its number, and removes the numbers of a note that is deleted. */
export function footnotes(): Plugin {
  return new Plugin({
    appendTransaction: (transactions, before, { doc, tr }) => {
      if (doc === before.doc || transactions.some((one) => one.getMeta("uiEvent") === "cut")) return null;
      const gone = labels(before.doc).difference(labels(doc));
      if (gone.size === 0) return null;
      const places: number[] = [];
      doc.descendants((node, position) => {
        if (node.type === nodes.footnote_reference && gone.has(toKey(node.attrs["label"]))) places.push(position);
      });
      for (const position of places.toReversed()) tr.delete(position, position + 1);
      return tr.docChanged ? tr : null;
    },
    view: (view) => new NoteTip(view),
    props: {
      handleDoubleClickOn: (view, _position, node) => {
        const note =
          node.type === nodes.footnote_reference ? findNote(view.state.doc, String(node.attrs["label"])) : null;
        if (note === null) return false;
        const inside = TextSelection.near(view.state.doc.resolve(note.position + 1));
        view.dispatch(view.state.tr.setSelection(inside).scrollIntoView());
        return true;
      },
    },
  });
}

/** The text of the note under the pointer, or whose number is selected. */
class NoteTip {
  readonly #view: EditorView;
  readonly #tip: HTMLElement;
  readonly #over = (event: MouseEvent): void => this.#point(event.target);

  constructor(view: EditorView) {
    this.#view = view;
    this.#tip = document.createElement("div");
    this.#tip.setAttribute("role", "tooltip");
    this.#tip.dataset["footnoteTip"] = "";
    this.#tip.hidden = true;
    document.body.append(this.#tip);
    view.dom.addEventListener("mouseover", this.#over);
  }

  update({ state: { selection } }: EditorView): void {
    const isSelected = selection instanceof NodeSelection && selection.node.type === nodes.footnote_reference;
    if (isSelected) this.#point(this.#view.nodeDOM(selection.from));
    else this.#tip.hidden = true;
  }

  #point(target: unknown): void {
    const sign = target instanceof Element ? target.closest<HTMLElement>("sup[data-footnote]") : null;
    const note = sign === null ? null : findNote(this.#view.state.doc, sign.dataset["footnote"] ?? "");
    this.#tip.hidden = sign === null || note === null;
    if (sign === null || note === null) return;
    const text = note.node.textBetween(0, note.node.content.size, " ", "");
    this.#tip.textContent = text === "" ? "An empty footnote" : text;
    const { left, bottom } = sign.getBoundingClientRect();
    this.#tip.style.left = `${Math.max(8, Math.min(left, window.innerWidth - TIP_PX))}px`;
    this.#tip.style.top = `${bottom + 4}px`;
  }

  destroy(): void {
    this.#view.dom.removeEventListener("mouseover", this.#over);
    this.#tip.remove();
  }
}

const TIP_PX = 340;

/** Where a reference can stand: anywhere in text, but not in code. */
function canRefer({ doc }: EditorState, at: number): boolean {
  const place = doc.resolve(at);
  return (
    place.parent.inlineContent && place.parent.type.spec.code !== true && !schema.marks.code.isInSet(place.marks())
  );
}

/** Makes references of what was typed before its note. */
function referTo(tr: Transaction, label: string): Transaction {
  const sign = `[^${label}]`;
  const places: number[] = [];
  tr.doc.descendants((node, position, parent) => {
    if (!node.isText || parent?.type.spec.code === true || schema.marks.code.isInSet(node.marks)) return;
    const text = node.text ?? "";
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + sign.length)) places.push(position + at);
  });
  for (const from of places.toReversed()) {
    tr.replaceWith(from, from + sign.length, nodes.footnote_reference.create({ label }));
  }
  return tr;
}

function findNote(doc: Node, label: string): { node: Node; position: number } | null {
  let found: { node: Node; position: number } | null = null;
  doc.descendants((node, position) => {
    if (found === null && node.type === nodes.footnote && toKey(node.attrs["label"]) === toKey(label)) {
      found = { node, position };
    }
    return found === null && !node.isTextblock;
  });
  return found;
}

function labels(doc: Node): Set<string> {
  const found = new Set<string>();
  doc.descendants((node) => {
    if (node.type === nodes.footnote) found.add(toKey(node.attrs["label"]));
    return !node.isTextblock;
  });
  return found;
}

function toKey(label: unknown): string {
  return String(label).toLowerCase();
}

function nextLabel(doc: Node): string {
  const used = labels(doc);
  let number = 1;
  while (used.has(String(number))) number += 1;
  return String(number);
}
