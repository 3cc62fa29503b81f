/** The editable field. After each pause in typing, the document is written to source. */
import { exitCode } from "prosemirror-commands";
import type { Node } from "prosemirror-model";
import { type Command, type Plugin, TextSelection } from "prosemirror-state";
import { EditorView, type NodeViewConstructor } from "prosemirror-view";
import { flushSync } from "react-dom";
import { mergeTexts } from "../merge-texts.ts";
import { toOffset, toPosition } from "../document/caret.ts";
import type { Format } from "../document/fingerprint.ts";
import { type EditedSource, openSource, type Parse } from "../document/edited-source.ts";
import { replaceSource } from "../document/replace-source.ts";
import { createWriter, type DocumentWriter, type WriteResult } from "../document/write.ts";
import { pictureView } from "../pictures/picture-view.ts";
import { islandViews } from "./islands.ts";
import { MergedBlocks } from "./merged-blocks.ts";
import { codeView } from "./nodes/code-view.ts";
import { createVisualState } from "./state.ts";
import { TouchedBlocks } from "./touched-blocks.ts";

export interface FieldOptions {
  format: Format;
  parse: Parse;
  attributes: Record<string, string>;
  plugins: readonly Plugin[];
  /** Returns the URL from which to load a picture; null if it cannot be loaded. */
  pictureUrl: (src: string) => string | null;
  /** Called with the source whenever it has changed. */
  onText: (text: string) => void;
  /** Called with a result that does not read back as the document; with null once it does again. */
  onRefused: (written: WriteResult | null) => void;
  onChange: (view: EditorView) => void;
  onLink: () => void;
  onIsland: (node: Node, position: number) => void;
}

/** Length of the pause in typing after which the source is written. */
const PAUSE_MS = 300;
/** Maximum time without writing the source, in case of a crash. */
const MAX_UNWRITTEN_MS = 4_000;

/** What covers the text at the edges of the window: the page's bar, the toolbar and the save bar. */
const COVERED_PX = { top: 130, bottom: 90, left: 5, right: 5 };

export class VisualField {
  readonly view: EditorView;
  readonly #options: FieldOptions;
  #plugins: readonly Plugin[];
  #writer: DocumentWriter;
  /** Numbers of blocks from this one on were never used. */
  #nextSid = 0;
  /** The source of the displayed document. */
  #text: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWritten = true;
  /** Time of the first unwritten change. */
  #changedAt = 0;
  readonly #touched: TouchedBlocks;
  readonly #merged = new MergedBlocks();
  readonly #link: Command;
  /** After the page's shortcuts: browsers would break the line. */
  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.target === this.view.dom && isPageEnter(this.view, event)) event.preventDefault();
  };
  readonly #onHide = (): void => flushSync(() => this.write());

  constructor(place: HTMLElement, text: string, options: FieldOptions) {
    this.#options = options;
    this.#plugins = options.plugins;
    this.#text = text;
    this.#touched = new TouchedBlocks(options.format);
    this.#link = () => {
      options.onLink();
      return true;
    };
    const { writer, state } = this.#open(text);
    this.#writer = writer;
    this.view = new EditorView(place, {
      state,
      nodeViews: this.#nodeViews(),
      attributes: options.attributes,
      scrollThreshold: COVERED_PX,
      scrollMargin: COVERED_PX,
      dispatchTransaction: (transaction) => {
        this.view.updateState(this.view.state.apply(transaction));
        if (transaction.docChanged) this.#writeLater();
        options.onChange(this.view);
      },
      handleDOMEvents: {
        blur: () => {
          flushSync(() => this.write());
        },
        keydown: (view, event) => {
          // Writes the source before a shortcut of the page, such as saving, reads it.
          const isShortcut = event.ctrlKey || event.metaKey;
          if (isShortcut || event.key === "Control" || event.key === "Meta") flushSync(() => this.write());
          // ProseMirror would take it, whatever its keymaps say.
          return isPageEnter(view, event);
        },
      },
    });
    // Runs before the listener that stores the unsaved text on the same event.
    window.addEventListener("pagehide", this.#onHide, { capture: true });
    window.addEventListener("keydown", this.#onKey);
  }

  /** Shows the pictures anew, because their addresses lead elsewhere now. */
  showPictures(): void {
    this.view.setProps({ nodeViews: this.#nodeViews() });
  }

  #nodeViews(): Record<string, NodeViewConstructor> {
    const { onIsland, pictureUrl } = this.#options;
    return { ...islandViews(onIsland), code_block: codeView, image: pictureView(pictureUrl) };
  }

  /**
   * Replaces the document by a text from elsewhere, such as a merge. What the user has typed can still be undone, the
   * replacement cannot. With `isMarked` the changed blocks are marked until `unmark`.
   */
  load(text: string, isMarked = false): void {
    if (text === this.#text) return;
    const written = this.#isWritten ? null : this.#writer.write(this.view.state.doc);
    clearTimeout(this.#timer);
    this.#isWritten = true;
    const isUnwritten = written?.isExact === true && written.source !== this.#text;
    // What was typed just now is kept, unless the other text has another sentence there.
    const wanted = isUnwritten ? (mergeTexts(this.#text, written.source, text) ?? text) : text;
    if (isUnwritten) this.#text = written.source;
    if (!this.#replace(wanted, isMarked)) {
      const { writer, state } = this.#open(wanted);
      this.#writer = writer;
      this.view.updateState(state);
    }
    this.#text = wanted;
    this.#options.onRefused(null);
    this.#options.onChange(this.view);
    if (wanted !== text) this.#options.onText(wanted);
  }

  /** @returns whether the document now is that of the text. */
  #replace(text: string, isMarked: boolean): boolean {
    const { format, parse } = this.#options;
    const { state } = this.view;
    const source = openSource(text, format, parse, this.#nextSid);
    const replaced = replaceSource(state, openSource(this.#text, format, parse), source);
    if (replaced === null) return false;
    const { transaction, changed } = replaced;
    if (isMarked) this.#merged.mark(transaction, changed);
    const next = state.apply(transaction.setMeta("addToHistory", false));
    const writer = createWriter(source);
    const written = writer.write(next.doc);
    if (!written.isExact || written.source !== text) return false;
    this.#writer = writer;
    this.#countSids(source);
    this.#touched.open(source.nodes);
    this.view.updateState(next);
    return true;
  }

  /** Removes the marks of `load`. */
  unmark(): void {
    this.view.updateState(this.view.state.apply(this.#merged.unmark(this.view.state.tr)));
  }

  /** Blocks that differ from the saved text are marked; null if nothing is saved in this format. */
  setSaved(text: string | null): void {
    this.write();
    const { doc } = this.view.state;
    this.#touched.setSaved(text === null ? null : text === this.#text ? doc.children : this.#parseBlocks(text));
    this.view.updateState(this.view.state);
    this.#options.onChange(this.view);
  }

  /** Adds plugins to this document and those loaded later. @returns a function that removes them. */
  addPlugins(added: readonly Plugin[]): () => void {
    this.#plugins = [...this.#plugins, ...added];
    this.#setPlugins([...this.view.state.plugins, ...added]);
    return () => {
      if (this.view.isDestroyed) return;
      this.#plugins = this.#plugins.filter((plugin) => !added.includes(plugin));
      this.#setPlugins(this.view.state.plugins.filter((plugin) => !added.includes(plugin)));
    };
  }

  #setPlugins(plugins: Plugin[]): void {
    this.view.updateState(this.view.state.reconfigure({ plugins }));
  }

  /** Takes the block with the caret back to what was saved. */
  get revertBlock(): Command {
    return this.#touched.revert;
  }

  write(): void {
    clearTimeout(this.#timer);
    if (this.#isWritten) return;
    this.#isWritten = true;
    const written = this.#writer.write(this.view.state.doc);
    this.#options.onRefused(written.isExact ? null : written);
    if (!written.isExact || written.source === this.#text) return;
    this.#text = written.source;
    this.#options.onText(written.source);
  }

  focus(offset: number): void {
    const { doc, tr } = this.view.state;
    const parsed = this.#options.parse(this.#text.replace("\uFEFF", ""));
    const position = toPosition(doc, offset, parsed);
    this.view.dispatch(tr.setSelection(TextSelection.near(doc.resolve(position))).scrollIntoView());
    this.view.focus();
  }

  /** The caret's position in the source. */
  offset(): number {
    this.write();
    const { doc, selection } = this.view.state;
    return toOffset(doc, selection.head, this.#options.parse(this.#text.replace("\uFEFF", "")));
  }

  destroy(): void {
    this.write();
    window.removeEventListener("pagehide", this.#onHide, { capture: true });
    window.removeEventListener("keydown", this.#onKey);
    this.view.destroy();
  }

  #open(text: string) {
    const { format, parse } = this.#options;
    const source = openSource(text, format, parse, this.#nextSid);
    this.#countSids(source);
    this.#touched.open(source.nodes);
    const all = [...this.#plugins, this.#touched.plugin, this.#merged.plugin];
    const state = createVisualState(source.doc, format, this.#link, all);
    return { writer: createWriter(source), state };
  }

  #countSids({ nodes }: EditedSource): void {
    for (const sid of nodes.keys()) this.#nextSid = Math.max(this.#nextSid, sid + 1);
  }

  #parseBlocks(text: string): Node[] {
    return [...openSource(text, this.#options.format, this.#options.parse).doc.children];
  }

  #writeLater(): void {
    if (this.#isWritten) this.#changedAt = performance.now();
    this.#isWritten = false;
    clearTimeout(this.#timer);
    const left = this.#changedAt + MAX_UNWRITTEN_MS - performance.now();
    this.#timer = setTimeout(() => this.write(), Math.max(0, Math.min(PAUSE_MS, left)));
  }
}

/** Control and Enter are a shortcut of the page, except in code, which they leave. */
function isPageEnter({ state }: EditorView, { key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "Enter" && (ctrlKey || metaKey) && !exitCode(state);
}
