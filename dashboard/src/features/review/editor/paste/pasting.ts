/** Pasting and dropping into the visual editor. */
import { Fragment, type Node, Slice } from "prosemirror-model";
import { Plugin, TextSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { findAddresses } from "../document/addresses.ts";
import { findEmbed, findPost } from "../document/embeds.ts";
import type { Format } from "../document/fingerprint.ts";
import { schema } from "../document/schema.ts";
import { cleanPasted } from "./clean-pasted.ts";
import { looksLikeMarkdown } from "./looks-like-markdown.ts";
import { markOffer, pasteMarkdown } from "./offers.ts";

const { nodes, marks } = schema;

interface PastingOptions {
  format: Format;
  onLostImages: () => void;
  /** Called with pasted or dropped pictures, in order; the selection is where they belong. */
  onPictures: (files: readonly File[]) => void;
}

export function pasting({ format, onLostImages, onPictures }: PastingOptions): Plugin {
  /** The last copy from this field; pasting it here restores the exact nodes. */
  let copied: { html: string; slice: Slice } | null = null;
  /** Whether the keys are those for pasting without formats. */
  let isPlain = false;

  function remember(view: EditorView): void {
    const slice = view.state.selection.content();
    copied = { html: view.serializeForClipboard(slice).dom.innerHTML, slice };
  }

  return new Plugin({
    props: {
      transformPastedHTML: (html) => {
        const cleaned = cleanPasted(html, format);
        if (cleaned.hasLostImages) onLostImages();
        return cleaned.html;
      },
      clipboardTextParser: (text, $context) => toSlice(text, $context.marks()),
      handleDrop: (view, event) => {
        // A picture that is moved within the text comes as a file, too.
        if (view.dragging !== null) return false;
        const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
        const files = pictures(event.dataTransfer);
        if (place === null || files.length === 0) return false;
        event.preventDefault();
        view.dispatch(view.state.tr.setSelection(TextSelection.near(view.state.doc.resolve(place.pos))));
        onPictures(files);
        return true;
      },
      handlePaste: (view, { clipboardData }, slice) => {
        const html = clipboardData?.getData("text/html") ?? "";
        const text = (clipboardData?.getData("text/plain") ?? "").trim();
        const files = pictures(clipboardData);
        // Word processors add a picture of the whole selection to its text.
        if (files.length > 0 && (html === "" || isOnlyImage(html))) {
          onPictures(files);
          return true;
        }
        if (copied !== null && html.includes(copied.html)) {
          // Content copied in this field is pasted with its exact source.
          view.dispatch(view.state.tr.replaceSelection(copied.slice).scrollIntoView());
          return true;
        }
        if (view.state.selection.$from.parent.type.spec.code === true) return false;
        if (isPlain && looksLikeMarkdown(text)) {
          void pasteMarkdown(view, text, format);
          return true;
        }
        if (!isPlain && pasteAddress(view, text)) return true;
        if (looksLikeMarkdown(text) && (html === "" || isUnformatted(slice)))
          markOffer(view, { kind: "markdown", text });
        return false;
      },
      handleDOMEvents: {
        copy: remember,
        cut: remember,
        keydown: (_, { key, shiftKey, ctrlKey, metaKey }) => {
          isPlain = key.toLowerCase() === "v" && shiftKey && (ctrlKey || metaKey);
        },
        keyup: () => {
          isPlain = false;
        },
      },
    },
  });
}

/** An address becomes a link: of the selected words, or with itself as its text. */
function pasteAddress(view: EditorView, text: string): boolean {
  const [found, another] = findAddresses(text);
  if (found === undefined || another !== undefined || found.text !== text) return false;
  const { state } = view;
  const { selection, doc } = state;
  const { from, to, empty, $from } = selection;
  if (!(selection instanceof TextSelection)) return false;
  const link = marks.link.create({ href: found.href });
  const selected = doc.textBetween(from, to, " ", "\uFFFC");
  if (!empty && findAddresses(selected)[0]?.text !== selected.trim()) {
    view.dispatch(state.tr.removeMark(from, to, marks.link).addMark(from, to, link).scrollIntoView());
    return true;
  }
  const isAlone = $from.parent.type === nodes.paragraph && $from.parent.content.size === to - from;
  if (isAlone && $from.sameParent(selection.$to)) {
    const embed = findEmbed(text);
    const post = findPost(text);
    if (embed !== null) markOffer(view, { kind: "embed", embed });
    else if (post !== null) markOffer(view, { kind: "post", post, href: found.href });
  }
  const around = (state.storedMarks ?? $from.marks()).filter(({ type }) => type !== marks.link && type !== marks.code);
  const made = schema.text(text, link.addToSet(around));
  view.dispatch(
    state.tr
      .replaceSelectionWith(made, false)
      .removeStoredMark(marks.link)
      .setMeta("uiEvent", "paste")
      .scrollIntoView(),
  );
  return true;
}

/** Text of the clipboard: a paragraph for each line, with its addresses as links. */
function toSlice(text: string, around: readonly Node["marks"][number][]): Slice {
  const plain = around.filter(({ type }) => type !== marks.link && type !== marks.code);
  const paragraphs = text.split(/(?:\r\n?|\n)+/).map((line) => {
    const parts: Node[] = [];
    let from = 0;
    const add = (to: number) => {
      if (to > from) parts.push(schema.text(line.slice(from, to), plain));
    };
    for (const { from: start, to, text: address, href } of findAddresses(line)) {
      add(start);
      parts.push(schema.text(address, marks.link.create({ href }).addToSet(plain)));
      from = to;
    }
    add(line.length);
    return nodes.paragraph.create(null, parts);
  });
  return new Slice(Fragment.from(paragraphs), 1, 1);
}

/** Whether there is nothing but text, such as from a terminal or an editor of code. */
function isUnformatted({ content }: Slice): boolean {
  let isPlain = true;
  content.descendants((node) => {
    const isText = node.isText ? node.marks.every(({ type }) => type === marks.link) : TEXTS.has(node.type);
    if (!isText) isPlain = false;
    return isPlain;
  });
  return isPlain;
}

const TEXTS: ReadonlySet<unknown> = new Set([nodes.paragraph, nodes.code_block, nodes.hard_break]);

/** A picture that was copied on a page comes with its file, and with an element that leads to the page. */
function isOnlyImage(html: string): boolean {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return body.querySelectorAll("img").length === 1 && body.textContent.trim() === "";
}

function pictures(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
}
