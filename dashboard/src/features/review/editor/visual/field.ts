/** The editable field: a view of the document, which becomes source again after each pause in typing. */
import type { Node, Slice } from "prosemirror-model";
import { type Command, type Plugin, TextSelection } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { flushSync } from "react-dom";
import { toOffset, toPosition } from "../document/caret.ts";
import type { Format } from "../document/fingerprint.ts";
import { openSession, type Parse } from "../document/session.ts";
import { createWriter, type Writer, type Written } from "../document/write.ts";
import { islandViews, pictureView } from "./islands.ts";
import { cleanPasted } from "./paste.ts";
import { createState } from "./state.ts";

export interface FieldOptions {
  format: Format;
  parse: Parse;
  attributes: Record<string, string>;
  plugins: readonly Plugin[];
  /** Where a picture of the text is loaded from; null: nowhere. */
  pictureUrl: (src: string) => string | null;
  /** The source, each time that it has changed. */
  onText: (text: string) => void;
  /** A text that could not be written so that it reads as the document; null once it can be again. */
  onRefused: (written: Written | null) => void;
  onChange: (view: EditorView) => void;
  onLostImages: () => void;
  /** Pictures that were pasted or dropped; the selection is where they belong. */
  onPictures: (files: readonly File[]) => void;
  onLink: () => void;
  onIsland: (node: Node, position: number) => void;
}

/** A pause in typing, after which the text is written as source. */
const PAUSE_MS = 300;
/** Who types without a pause loses no more than this in a crash. */
const MAX_UNWRITTEN_MS = 4_000;

export class VisualField {
  readonly view: EditorView;
  readonly #options: FieldOptions;
  #writer: Writer;
  /** The source of what is shown. */
  #text: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWritten = true;
  /** The first change that is not written yet. */
  #changedAt = 0;
  #copied: { html: string; slice: Slice } | null = null;
  readonly #link: Command;
  readonly #onHide = (): void => flushSync(() => this.write());

  constructor(place: HTMLElement, text: string, options: FieldOptions) {
    this.#options = options;
    this.#text = text;
    this.#link = () => {
      options.onLink();
      return true;
    };
    const { writer, state } = this.#open(text);
    this.#writer = writer;
    this.view = new EditorView(place, {
      state,
      nodeViews: {
        ...islandViews((node, position) => options.onIsland(node, position)),
        image: pictureView(options.pictureUrl),
      },
      attributes: options.attributes,
      dispatchTransaction: (transaction) => {
        this.view.updateState(this.view.state.apply(transaction));
        if (transaction.docChanged) this.#writeLater();
        options.onChange(this.view);
      },
      transformPastedHTML: (html) => {
        const cleaned = cleanPasted(html);
        if (cleaned.hasLostImages) options.onLostImages();
        return cleaned.html;
      },
      handleDrop: (view, event) => {
        const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
        if (place === null || pictures(event.dataTransfer).length === 0) return false;
        event.preventDefault();
        view.dispatch(view.state.tr.setSelection(TextSelection.near(view.state.doc.resolve(place.pos))));
        options.onPictures(pictures(event.dataTransfer));
        return true;
      },
      handlePaste: (view, event) => {
        const html = event.clipboardData?.getData("text/html") ?? "";
        // A word processor adds a picture of the whole to its text.
        if (html === "" && pictures(event.clipboardData).length > 0) {
          options.onPictures(pictures(event.clipboardData));
          return true;
        }
        if (this.#copied === null || !html.includes(this.#copied.html)) return false;
        // What was copied here comes back as it was, with all that its source says.
        view.dispatch(view.state.tr.replaceSelection(this.#copied.slice).scrollIntoView());
        return true;
      },
      handleDOMEvents: {
        copy: (view) => this.#remember(view),
        cut: (view) => this.#remember(view),
        blur: () => {
          flushSync(() => this.write());
        },
        keydown: (_, event) => {
          // A shortcut of the page, such as the one that saves, finds the text written.
          if (event.key === "Control" || event.key === "Meta") flushSync(() => this.write());
        },
      },
    });
    // Before what stores the unsaved text, which listens to the same event.
    window.addEventListener("pagehide", this.#onHide, { capture: true });
  }

  /** Shows a text that comes from elsewhere. */
  load(text: string): void {
    if (text === this.#text) return;
    clearTimeout(this.#timer);
    this.#isWritten = true;
    const { writer, state } = this.#open(text);
    this.#writer = writer;
    this.#text = text;
    this.view.updateState(state);
    this.#options.onRefused(null);
    this.#options.onChange(this.view);
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

  /** The place of the caret in the source. */
  offset(): number {
    this.write();
    const { doc, selection } = this.view.state;
    return toOffset(doc, selection.head, this.#options.parse(this.#text.replace("\uFEFF", "")));
  }

  destroy(): void {
    this.write();
    window.removeEventListener("pagehide", this.#onHide, { capture: true });
    this.view.destroy();
  }

  #open(text: string) {
    const { format, parse, plugins } = this.#options;
    const session = openSession(text, format, parse);
    return { writer: createWriter(session), state: createState(session.doc, this.#link, plugins) };
  }

  #writeLater(): void {
    if (this.#isWritten) this.#changedAt = performance.now();
    this.#isWritten = false;
    clearTimeout(this.#timer);
    const left = this.#changedAt + MAX_UNWRITTEN_MS - performance.now();
    this.#timer = setTimeout(() => this.write(), Math.max(0, Math.min(PAUSE_MS, left)));
  }

  #remember(view: EditorView): void {
    const slice = view.state.selection.content();
    this.#copied = { html: view.serializeForClipboard(slice).dom.innerHTML, slice };
  }
}

function pictures(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
}
