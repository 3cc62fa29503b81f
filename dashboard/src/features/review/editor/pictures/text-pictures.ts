/**
 * The pictures of a text that is being edited: which one is chosen, and those that are uploaded into it. What is uploaded has a
 * decoration as its placeholder, so that neither the source nor the undo history ever contains it.
 */
import { type EditorState, NodeSelection, Plugin, PluginKey } from "prosemirror-state";
import { Decoration, DecorationSet, type EditorView } from "prosemirror-view";
import { toast } from "../../../../shared/toasts.ts";
import { type PictureUpload, PictureUploads } from "../../../../shared/picture-uploads.ts";
import type { Format } from "../document/fingerprint.ts";
import { schema } from "../document/schema.ts";
import { isInFloatingBar } from "../visual/floating-bar.tsx";
import { isRow, leaveFigure, pictureSpot, putPictures } from "./picture-nodes.ts";

export interface ChosenPicture {
  position: number;
  dom: HTMLElement;
}

/** Pictures that were dropped or pasted together. */
interface Group {
  /** Ids of the uploads whose pictures are not in the text yet. */
  ids: number[];
  /** How many of them are in the text. */
  added: number;
  placeholder: HTMLElement;
}

interface TextPicturesOptions {
  format: Format;
  websiteId: string;
  announce: (message: string) => void;
  onChosen: (chosen: ChosenPicture | null) => void;
  /** Called when pictures have come to the library. */
  onUploaded: () => void;
}

const { nodes } = schema;

export class TextPictures {
  readonly plugin: Plugin<DecorationSet>;
  readonly uploads: PictureUploads;
  readonly #options: TextPicturesOptions;
  readonly #key = new PluginKey<DecorationSet>("pictures");
  readonly #groups = new Set<Group>();
  #view: EditorView | null = null;
  #open: (() => void) | null = null;
  #rows: { doc: EditorState["doc"]; found: Decoration[] } | null = null;

  constructor(options: TextPicturesOptions) {
    this.#options = options;
    this.uploads = new PictureUploads(options.websiteId, (upload) => this.#settle(upload));
    this.plugin = new Plugin<DecorationSet>({
      key: this.#key,
      state: {
        init: (_, state) => this.#placeAgain(state),
        apply: (tr, set) => {
          const mapped = set.map(tr.mapping, tr.doc);
          const change = tr.getMeta(this.#key) as ((set: DecorationSet) => DecorationSet) | undefined;
          return change === undefined ? mapped : change(mapped);
        },
      },
      props: {
        decorations: (state) => this.#key.getState(state)?.add(state.doc, this.#findRows(state)),
        handleKeyDown: (view, event) => this.#press(view, event),
        handleDOMEvents: {
          blur: (_, { relatedTarget }) => {
            if (!isInFloatingBar(relatedTarget)) options.onChosen(null);
          },
          focus: (view) => this.#showChosen(view),
        },
      },
      view: (view) => {
        this.#view = view;
        return { update: () => this.#showChosen(view), destroy: () => options.onChosen(null) };
      },
    });
  }

  /** `open` is called when Enter is pressed on a picture. @returns a function that ends it. */
  subscribeToOpen(open: () => void): () => void {
    this.#open = open;
    return () => {
      this.#open = null;
    };
  }

  /** Uploads the files, and puts them where the caret is now. */
  upload(files: readonly File[]): void {
    const view = this.#view;
    if (view === null || files.length === 0) return;
    const position = pictureSpot(view.state.doc, view.state.selection.head);
    const isInline = view.state.doc.resolve(position).parent.inlineContent;
    const placeholder = document.createElement(isInline ? "span" : "div");
    placeholder.dataset["uploading"] = "";
    const group: Group = { ids: [], added: 0, placeholder };
    this.#groups.add(group);
    this.#change(view, (set) => set.add(view.state.doc, [toWidget(position, group)]));
    group.ids = this.uploads.add(files);
    label(group);
    this.#options.announce(`Uploading ${countPictures(files.length)}.`);
  }

  #change(view: EditorView, change: (set: DecorationSet) => DecorationSet): void {
    view.dispatch(view.state.tr.setMeta(this.#key, change));
  }

  #settle(upload: PictureUpload): void {
    for (const group of this.#groups) {
      if (group.ids.includes(upload.id)) this.#advance(group);
    }
    if (upload.state === "done") this.#options.onUploaded();
  }

  /** Puts the pictures into the text that are next in the group's order. */
  #advance(group: Group): void {
    const all = this.uploads.snapshot();
    while (group.ids.length > 0) {
      const upload = all.find(({ id }) => id === group.ids[0]);
      if (upload?.state === "waiting" || upload?.state === "uploading") break;
      group.ids.shift();
      if (upload?.state === "done") this.#put(group, upload);
      if (upload !== undefined && upload.state !== "failed") this.uploads.dismiss(upload.id);
    }
    label(group);
    if (group.ids.length > 0) return;
    this.#groups.delete(group);
    const view = this.#view;
    if (view === null || view.isDestroyed) return;
    this.#change(view, (set) => set.remove(set.find(undefined, undefined, ({ group: one }) => one === group)));
    if (group.added > 0) this.#options.announce(`${countPictures(group.added)} added.`);
  }

  #put(group: Group, { asset, name }: PictureUpload): void {
    if (asset === null) return;
    const view = this.#view;
    const place = view === null || view.isDestroyed ? null : this.#find(view.state, group);
    if (view === null || place === null) {
      toast(`${name} is kept in Pictures: its place in the text is gone.`);
      return;
    }
    const picture = { src: asset.url, alt: asset.alt, caption: "", width: null };
    const { tr } = view.state;
    putPictures(tr, place, this.#options.format, [picture]);
    view.dispatch(tr);
    group.added += 1;
  }

  #find(state: EditorState, group: Group): number | null {
    const found = this.#key.getState(state)?.find(undefined, undefined, ({ group: one }) => one === group);
    return found?.[0]?.from ?? null;
  }

  /** A text from elsewhere, such as a merge, keeps what is uploaded about where it was. */
  #placeAgain({ doc }: EditorState): DecorationSet {
    const before = this.#view?.state;
    const widgets = [...this.#groups].map((group) => {
      const place = before === undefined ? null : this.#find(before, group);
      return toWidget(pictureSpot(doc, place ?? doc.content.size), group);
    });
    return DecorationSet.create(doc, widgets);
  }

  #findRows({ doc }: EditorState): Decoration[] {
    if (this.#rows?.doc !== doc) {
      const found: Decoration[] = [];
      doc.forEach((node, offset) => {
        if (isRow(node)) found.push(Decoration.node(offset, offset + node.nodeSize, { "data-row": "" }));
      });
      this.#rows = { doc, found };
    }
    // A set takes decorations over, and moves them.
    return [...this.#rows.found];
  }

  #press({ state, dispatch }: EditorView, event: KeyboardEvent): boolean {
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key !== "Enter" || !isPlain || event.isComposing) return false;
    if (!isChosen(state)) return leaveFigure(state, dispatch);
    this.#open?.();
    return true;
  }

  #showChosen(view: EditorView): void {
    const { state } = view;
    const dom = isChosen(state) ? view.nodeDOM(state.selection.from) : null;
    this.#options.onChosen(dom instanceof HTMLElement ? { position: state.selection.from, dom } : null);
  }
}

function isChosen({ selection }: EditorState): boolean {
  return selection instanceof NodeSelection && selection.node.type === nodes.image;
}

function toWidget(position: number, group: Group): Decoration {
  // Behind what is inserted at its place, so that the next picture follows.
  return Decoration.widget(position, group.placeholder, { side: 1, group, ignoreSelection: true });
}

function label({ ids, placeholder }: Group): void {
  placeholder.textContent = `Uploading ${countPictures(ids.length)}…`;
}

function countPictures(count: number): string {
  return count === 1 ? "1 picture" : `${count} pictures`;
}
