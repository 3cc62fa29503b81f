/** Marks the blocks that are not as they were saved, and takes one of them back. */
import type { Node } from "prosemirror-model";
import { type Command, type EditorState, Plugin, Selection } from "prosemirror-state";
import { Decoration, DecorationSet } from "prosemirror-view";
import { type Format, fingerprint } from "../document/fingerprint.ts";

export class TouchedBlocks {
  readonly #format: Format;
  /** Fingerprints of the blocks of the saved text; null if nothing is saved. */
  #saved: ReadonlySet<string> | null = null;
  /** The blocks of the document as it was opened, by `sid`. */
  #opened: ReadonlyMap<number, Node> = new Map();
  #last: { doc: Node; saved: ReadonlySet<string> | null; marks: DecorationSet } | null = null;
  readonly plugin: Plugin;

  constructor(format: Format) {
    this.#format = format;
    this.plugin = new Plugin({ props: { decorations: ({ doc }) => this.#mark(doc) } });
  }

  open(nodes: ReadonlyMap<number, Node>): void {
    this.#opened = nodes;
  }

  /** null: nothing is saved. */
  setSaved(blocks: readonly Node[] | null): void {
    this.#saved = blocks && new Set(blocks.map((block) => fingerprint(block, this.#format)));
  }

  readonly revert: Command = (state, dispatch) => {
    const block = findBlock(state);
    const original = block && this.#findOriginal(block.node);
    if (block === null || original == null) return false;
    const { node, position } = block;
    const tr = state.tr.replaceWith(position, position + node.nodeSize, original);
    dispatch?.(tr.setSelection(Selection.near(tr.doc.resolve(position + 1))).scrollIntoView());
    return true;
  };

  #mark(doc: Node): DecorationSet {
    if (this.#last?.doc === doc && this.#last.saved === this.#saved) return this.#last.marks;
    const found: Decoration[] = [];
    if (this.#saved !== null) {
      doc.forEach((node, position) => {
        if (this.#isTouched(node)) {
          found.push(Decoration.node(position, position + node.nodeSize, { "data-touched": "" }));
        }
      });
    }
    const marks = DecorationSet.create(doc, found);
    this.#last = { doc, saved: this.#saved, marks };
    return marks;
  }

  #isTouched(node: Node): boolean {
    return this.#saved?.has(fingerprint(node, this.#format)) === false;
  }

  /** The block as it was saved; null if it was not changed, or is new. */
  #findOriginal(node: Node): Node | null {
    const original = this.#opened.get(Number(node.attrs["sid"] ?? Number.NaN));
    return original !== undefined && this.#isTouched(node) && !this.#isTouched(original) ? original : null;
  }
}

/** The block of the document that the selection begins in. */
function findBlock({ doc, selection: { $from } }: EditorState): { node: Node; position: number } | null {
  const index = $from.index(0);
  if (index >= doc.childCount) return null;
  return { node: doc.child(index), position: $from.posAtIndex(index, 0) };
}
