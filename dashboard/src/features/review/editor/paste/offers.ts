/** Offers beside the caret after a paste: to embed a video or quote a post instead of linking it, or to read the text as Markdown. */
import { closeHistory } from "prosemirror-history";
import { Fragment, Slice } from "prosemirror-model";
import { type EditorState, Plugin, PluginKey, Selection, TextSelection, type Transaction } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type Embed, embedSource, type Post } from "../document/embeds.ts";
import type { Format } from "../document/fingerprint.ts";
import { loadParser } from "../document/formats.ts";
import { schema } from "../document/schema.ts";
import { forHtml } from "./for-html.ts";
import { withoutOrigin } from "../visual/commands.ts";

type What =
  | { kind: "embed"; embed: Embed }
  | { kind: "post"; post: Post; href: string }
  | { kind: "markdown"; text: string };

interface Range {
  from: number;
  to: number;
}

interface OfferState {
  /** What the next paste offers. */
  next: What | null;
  offer: (Range & { what: What; active: number | null }) | null;
}

/** An offer as it is shown. */
export interface ShownOffer {
  label: string;
  options: readonly string[];
  active: number | null;
  /** In pixels, relative to the window. */
  left: number;
  top: number;
}

const key = new PluginKey<OfferState>("offers");
const NONE: OfferState = { next: null, offer: null };

/** Offers something with the paste that follows. */
export function markOffer(view: EditorView, next: What): void {
  view.dispatch(view.state.tr.setMeta(key, { next, offer: null } satisfies OfferState));
}

export class Offers {
  readonly plugin: Plugin<OfferState>;
  readonly #format: Format;
  readonly #show: (offer: ShownOffer | null) => void;
  #isShown = false;

  constructor(format: Format, show: (offer: ShownOffer | null) => void) {
    this.#format = format;
    this.#show = show;
    this.plugin = new Plugin<OfferState>({
      key,
      state: { init: () => NONE, apply },
      view: () => ({ update: (view) => this.#update(view), destroy: () => this.#set(null) }),
      props: {
        handleKeyDown: (view, event) => this.#press(view, event),
        handleDOMEvents: { blur: (view) => dismiss(view) },
      },
    });
  }

  /** 0 takes the offer, 1 keeps what is there. */
  choose(view: EditorView, option: number): void {
    const offer = key.getState(view.state)?.offer ?? null;
    if (offer === null) return;
    dismiss(view);
    if (option !== 0) return;
    if (offer.what.kind === "embed") view.dispatch(embed(view.state, offer, offer.what.embed));
    else if (offer.what.kind === "post") view.dispatch(quotePost(view.state, offer, offer.what));
    else void pasteMarkdown(view, offer.what.text, this.#format, offer);
  }

  #press(view: EditorView, event: KeyboardEvent): boolean {
    const state = key.getState(view.state);
    const offer = state?.offer ?? null;
    if (offer === null || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "Escape") {
      dismiss(view);
      return true;
    }
    if (event.key === "Enter" && offer.active !== null) {
      this.choose(view, offer.active);
      return true;
    }
    const isForward = event.key === "ArrowDown" || (event.key === "Tab" && !event.shiftKey);
    if (!isForward && event.key !== "ArrowUp") return false;
    if (!isForward && offer.active === null) return false;
    const active = isForward ? ((offer.active ?? -1) + 1) % 2 : offer.active === 0 ? null : 0;
    view.dispatch(view.state.tr.setMeta(key, { next: null, offer: { ...offer, active } } satisfies OfferState));
    return true;
  }

  #update(view: EditorView): void {
    const offer = key.getState(view.state)?.offer ?? null;
    if (offer === null) {
      this.#set(null);
      return;
    }
    const { left, bottom } = view.coordsAtPos(view.state.selection.head);
    const { label, options } = wordsOf(offer.what);
    this.#set({ label, options, active: offer.active, left, top: bottom + GAP_PX });
  }

  #set(offer: ShownOffer | null): void {
    if (offer === null && !this.#isShown) return;
    this.#isShown = offer !== null;
    this.#show(offer);
  }
}

const GAP_PX = 4;

function wordsOf(what: What): { label: string; options: readonly string[] } {
  if (what.kind === "markdown") return { label: "Pasted Markdown", options: ["Paste as Markdown", "Keep as text"] };
  if (what.kind === "post") return { label: `Post on ${what.post.service}`, options: ["Quote", "Keep as a link"] };
  return { label: `${what.embed.service} video`, options: ["Embed", "Keep as a link"] };
}

/** An offer lasts until something else is typed or selected. */
function apply(tr: Transaction, before: OfferState, { selection }: EditorState): OfferState {
  const set = tr.getMeta(key) as OfferState | undefined;
  if (set !== undefined) return set;
  const { next } = before;
  if (tr.docChanged && next !== null && tr.getMeta("uiEvent") === "paste") {
    const from = tr.mapping.map(selection.from, -1);
    return { next: null, offer: { what: next, active: null, from, to: tr.mapping.map(selection.to) } };
  }
  return tr.docChanged || tr.selectionSet ? NONE : before;
}

function dismiss(view: EditorView): void {
  if (key.getState(view.state)?.offer) view.dispatch(view.state.tr.setMeta(key, NONE));
}

/** The video in place of its link, and, if no text follows, a paragraph to go on in. */
function embed({ doc, tr }: EditorState, { from }: Range, video: Embed): Transaction {
  const place = doc.resolve(from);
  const island = schema.nodes.island.create({ source: embedSource(video) });
  const hasText = place.node(-1).maybeChild(place.indexAfter(-1))?.isTextblock === true;
  const made = hasText ? [island] : [island, schema.nodes.paragraph.create()];
  tr.replaceWith(place.before(), place.after(), made);
  const after = tr.doc.resolve(place.before() + island.nodeSize);
  return closeHistory(tr).setSelection(Selection.near(after)).scrollIntoView();
}

/** A quote that names the post; its words are pasted where the caret is then. */
function quotePost(
  { doc, tr }: EditorState,
  { from }: Range,
  { post, href }: { post: Post; href: string },
): Transaction {
  const place = doc.resolve(from);
  const { paragraph, blockquote } = schema.nodes;
  const name = post.author === "" ? `Post on ${post.service}` : `${post.author} on ${post.service}`;
  const source = [schema.text("— "), schema.text(name, [schema.marks.link.create({ href })])];
  const quote = blockquote.create(null, [paragraph.create(), paragraph.create(null, source)]);
  tr.replaceWith(place.before(), place.after(), quote);
  return closeHistory(tr)
    .setSelection(TextSelection.create(tr.doc, place.before() + 2))
    .scrollIntoView();
}

/** Inserts Markdown at the selection, or in place of its text. */
export async function pasteMarkdown(view: EditorView, text: string, format: Format, range?: Range): Promise<void> {
  const before = view.state.doc;
  const parse = await loadParser("markdown");
  // Somebody has typed meanwhile.
  if (view.isDestroyed || view.state.doc !== before) return;
  const { blocks, details } = parse(text);
  const made = blocks
    .flatMap((sid) => details.get(sid)?.node ?? [])
    // The addresses of definitions are in the links.
    .filter((node) => node.type !== schema.nodes.island || node.attrs["label"] === null)
    .map(withoutOrigin);
  if (made.length === 0) return;
  const content = format === "markdown" ? Fragment.from(made) : forHtml(Fragment.from(made));
  const { tr } = view.state;
  if (range !== undefined) tr.setSelection(TextSelection.create(tr.doc, range.from, range.to));
  tr.deleteSelection();
  const { $from } = tr.selection;
  const isAlone = $from.parent.type === schema.nodes.paragraph && $from.parent.content.size === 0;
  const isFitting = isAlone && $from.node(-1).canReplace($from.index(-1), $from.indexAfter(-1), content);
  if (isFitting) {
    const start = $from.before();
    tr.replaceWith(start, $from.after(), content);
    tr.setSelection(Selection.near(tr.doc.resolve(start + content.size), -1));
  } else {
    tr.replaceSelection(Slice.maxOpen(content));
  }
  // Undo gives back what was pasted.
  view.dispatch(closeHistory(tr).scrollIntoView());
  view.focus();
}
