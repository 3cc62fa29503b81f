/** How a picture is shown in the visual editor: loaded from where it may be loaded, with its caption. */
import type { Node } from "prosemirror-model";
import type { NodeView, NodeViewConstructor } from "prosemirror-view";
import { brokenPicture } from "../../document/article-document.ts";
import { readAttribute } from "../document/html-tags.ts";

/** @param urlOf returns the URL from which to load a picture; null shows a description instead. */
export function pictureView(urlOf: (src: string) => string | null): NodeViewConstructor {
  return (node) => new PictureView(node, urlOf);
}

class PictureView implements NodeView {
  readonly dom: HTMLElement;
  readonly #urlOf: (src: string) => string | null;
  #node: Node;

  constructor(node: Node, urlOf: (src: string) => string | null) {
    this.#node = node;
    this.#urlOf = urlOf;
    this.dom = document.createElement("span");
    this.dom.dataset["picture"] = "";
    this.#show();
  }

  update(node: Node): boolean {
    if (node.type !== this.#node.type) return false;
    const isSame = node.hasMarkup(this.#node.type, this.#node.attrs);
    this.#node = node;
    if (!isSame) this.#show();
    return true;
  }

  ignoreMutation(): boolean {
    return true;
  }

  #show(): void {
    const { src, alt, title, tag } = this.#node.attrs;
    const url = this.#urlOf(String(src));
    const width = typeof tag === "string" ? readAttribute(tag, "width") : null;
    // In HTML, the caption is a paragraph of its own.
    const caption = tag === null && typeof title === "string" ? title : "";
    if (url === null) {
      this.dom.replaceChildren(describe(`Image: ${alt === "" ? String(src) : String(alt)}`));
    } else {
      const image = load(url, String(alt), width);
      // One that cannot be loaded would have no size, and could not be chosen.
      image.addEventListener("error", () => image.replaceWith(describe(brokenPicture(String(alt), String(src)))));
      this.dom.replaceChildren(image);
    }
    if (caption === "") return;
    const shown = document.createElement("span");
    shown.dataset["caption"] = "";
    shown.textContent = caption;
    this.dom.append(shown);
  }
}

function describe(text: string): HTMLElement {
  const made = document.createElement("code");
  made.textContent = text;
  return made;
}

function load(url: string, alt: string, width: string | null): HTMLElement {
  const made = document.createElement("img");
  made.referrerPolicy = "no-referrer";
  made.alt = alt;
  made.src = url;
  if (width !== null && /^\d+%?$/.test(width)) made.setAttribute("width", width);
  return made;
}
