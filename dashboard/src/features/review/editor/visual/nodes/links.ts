/** Links in the document: which one the caret is in, and what becomes of it. */
import type { Mark, ResolvedPos } from "prosemirror-model";
import { type Command, type EditorState, Plugin } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { isAutolink } from "../../document/addresses.ts";
import { schema } from "../../document/schema.ts";
import { isInFloatingBar } from "../floating-bar.tsx";

interface FoundLink {
  from: number;
  to: number;
  mark: Mark;
}

export interface ChosenLink {
  href: string;
  dom: HTMLElement;
}

const { link } = schema.marks;

/** @param isEnd whether the position behind a link counts. */
function linkAt({ parent, pos, parentOffset }: ResolvedPos, isEnd = false): FoundLink | null {
  if (!parent.inlineContent) return null;
  const start = pos - parentOffset;
  const found: FoundLink[] = [];
  parent.forEach((child, offset) => {
    const mark = link.isInSet(child.marks);
    const from = start + offset;
    const to = from + child.nodeSize;
    const last = found.at(-1);
    if (mark === undefined) return;
    if (last?.to === from && last.mark.eq(mark)) last.to = to;
    else found.push({ from, to, mark });
  });
  const inside = found.find(({ from, to }) => from <= pos && pos < to);
  return inside ?? (isEnd ? found.find(({ to }) => to === pos) : undefined) ?? null;
}

/** The address of the link that is selected or has the caret; null if there is none. */
export function findHref({ selection }: EditorState): string | null {
  const found = linkAt(selection.$from);
  return found === null ? null : String(found.mark.attrs["href"]);
}

/** Links the selection, or changes the link at the caret, or inserts one with the text. */
export function setLink(href: string, text: string): Command {
  return (state, dispatch) => {
    const { selection, tr, doc } = state;
    const found = linkAt(selection.$from);
    const { from, to } = selection.empty && found !== null ? found : selection;
    if (from === to) {
      const around = (state.storedMarks ?? selection.$from.marks()).filter(({ type }) => type !== link);
      tr.insert(from, schema.text(text, link.create({ href }).addToSet(around)));
    } else {
      const old = found?.mark.attrs ?? {};
      tr.removeMark(from, to, link);
      tr.addMark(from, to, link.create({ ...old, href, reference: null, label: null }));
      // What is read is the address itself.
      const isAddress = found !== null && isAutolink(doc.textBetween(from, to), String(old["href"]));
      if (isAddress) tr.replaceWith(from, to, schema.text(href, tr.doc.nodeAt(from)?.marks));
    }
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}

/** Takes the link from the selection, or the whole link at the caret away; its text stays. */
export const removeLink: Command = ({ selection, tr }, dispatch) => {
  const range = selection.empty ? linkAt(selection.$from, true) : selection;
  if (range === null) return false;
  dispatch?.(tr.removeMark(range.from, range.to, link).scrollIntoView());
  return true;
};

/** Tells which link the caret is in. */
export class TextLinks {
  readonly plugin: Plugin;
  readonly #onChosen: (chosen: ChosenLink | null) => void;
  /** The caret may be behind it. */
  #clicked: Element | null = null;

  #open: ((href: string) => void) | null = null;

  constructor(onChosen: (chosen: ChosenLink | null) => void) {
    this.#onChosen = onChosen;
    this.plugin = new Plugin({
      view: () => ({
        update: (view, before) => {
          if (before.doc !== view.state.doc) this.#clicked = null;
          this.#show(view);
        },
        destroy: () => onChosen(null),
      }),
      props: {
        handleKeyDown: ({ state }, event) => {
          const href = event.key === "Enter" && event.altKey ? findHref(state) : null;
          if (href === null) return false;
          this.#open?.(href);
          return true;
        },
        handleDOMEvents: {
          click: (view, { target }) => {
            this.#clicked = target instanceof Element ? target.closest("a") : null;
            this.#show(view);
          },
          blur: (_, { relatedTarget }) => {
            if (!isInFloatingBar(relatedTarget)) onChosen(null);
          },
          focus: (view) => this.#show(view),
        },
      },
    });
  }

  /** `open` is called with an address that Alt Enter is pressed in. @returns a function that ends it. */
  subscribeToOpen(open: (href: string) => void): () => void {
    this.#open = open;
    return () => {
      this.#open = null;
    };
  }

  #show(view: EditorView): void {
    if (!view.hasFocus() && !isInFloatingBar(document.activeElement)) return;
    const { selection } = view.state;
    const found = selection.empty ? linkAt(selection.$from, true) : null;
    const dom = found === null ? null : findElement(view, found);
    if (found === null || dom === null || (found.to === selection.head && dom !== this.#clicked)) this.#onChosen(null);
    else this.#onChosen({ href: String(found.mark.attrs["href"]), dom });
  }
}

function findElement(view: EditorView, { from }: FoundLink): HTMLElement | null {
  const { node, offset } = view.domAtPos(from, 1);
  const inside = node instanceof Text ? node : (node.childNodes[offset] ?? node);
  return inside instanceof HTMLElement ? inside.closest("a") : (inside.parentElement?.closest("a") ?? null);
}
