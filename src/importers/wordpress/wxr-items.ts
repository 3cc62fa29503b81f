import { MAX_ITEM_BYTES } from "../import-item.ts";
import { readXml, type XmlBreak, type XmlItems } from "../xml.ts";

/** One `<item>` of a WordPress export: its own elements, not those of its comments. */
export interface WxrItem {
  kind: "item";
  /** Starts at 1. */
  number: number;
  /** Elements by qualified name (`wp:post_id`, `content:encoded`). */
  fields: Map<string, string>;
  terms: { domain: string; name: string; slug: string }[];
  meta: Map<string, string>;
  oldSlugs: string[];
  enclosures: string[];
  /** The site's authors as shown, by login. An export lists them before its items. */
  authors: ReadonlyMap<string, string>;
  /** The item is longer than an article may be; its content was discarded. */
  isTooLarge: boolean;
  site: string | null;
}

/** Nesting of elements: an export has five levels. */
const MAX_DEPTH = 100;
/** Elements, labels and settings of one item; the message in `wordpress-post.ts` states the number. */
const MAX_PARTS = 10_000;
/** Characters of a name of an author. */
const MAX_NAME = 1_000;

/** The items of an export in order. */
export function wxrItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<WxrItem | XmlBreak> {
  return readXml(chunks, new WxrReader());
}

function countParts({ fields, terms, meta, oldSlugs, enclosures }: WxrItem): number {
  return fields.size + terms.length + meta.size + oldSlugs.length + enclosures.length;
}

class WxrReader implements XmlItems<WxrItem> {
  readonly maxDepth = MAX_DEPTH;
  readonly done: WxrItem[] = [];
  #item: WxrItem | null = null;
  #hasJustEnded = false;
  #count = 0;
  #size = 0;
  #site: string | null = null;
  #text = "";
  #term = { domain: "", slug: "" };
  #metaKey = "";
  readonly #authors = new Map<string, string>();
  #login = "";

  discard(): void {
    if (this.#item !== null) this.#tooLarge(this.#item);
  }

  /** saxes closes elements that a wrong end tag leaves open, and then reports it: the item did not really end. */
  misclose(): void {
    if (this.#hasJustEnded) this.done.pop();
  }

  open(path: readonly string[], attributes: Readonly<Record<string, string>>): void {
    if (path.length === 3 && path[2] === "item") {
      this.#count += 1;
      this.#size = 0;
      this.#item = {
        kind: "item",
        number: this.#count,
        fields: new Map(),
        terms: [],
        meta: new Map(),
        oldSlugs: [],
        enclosures: [],
        authors: this.#authors,
        isTooLarge: false,
        site: this.#site,
      };
    }
    this.#text = "";
    this.#term = { domain: attributes["domain"] ?? "", slug: attributes["nicename"] ?? "" };
  }

  add(path: readonly string[], text: string): void {
    // Only elements directly in the channel, in an author, in an item, or in an item's postmeta are kept.
    const depth = path.length;
    if (depth !== 3 && depth !== 4 && !(depth === 5 && path[3] === "wp:postmeta")) return;
    const isOfAuthor = this.#item === null && depth === 4 && path[2] === "wp:author";
    if (isOfAuthor && this.#text.length + text.length > MAX_NAME) return;
    if (depth > 3 && !isOfAuthor && this.#item?.isTooLarge !== false) return;
    this.#text += text;
    this.#size += text.length;
    if (this.#item !== null && this.#size > MAX_ITEM_BYTES) this.#tooLarge(this.#item);
  }

  close(path: readonly string[]): void {
    const depth = path.length;
    const name = path.at(-1) ?? "";
    const text = this.#text;
    this.#text = "";
    this.#hasJustEnded = false;
    if (this.#item === null) {
      if (depth === 3 && /^(?:link|wp:base_blog_url)$/.test(name) && text.trim() !== "") this.#site = text.trim();
      if (depth === 4 && name === "wp:author_login") this.#login = text.trim();
      if (depth === 4 && name === "wp:author_display_name" && this.#login !== "") this.#addAuthor(text.trim());
    } else if (depth === 3) {
      this.done.push(this.#item);
      this.#item = null;
      this.#hasJustEnded = true;
    } else if (countParts(this.#item) >= MAX_PARTS) {
      this.#tooLarge(this.#item);
    } else if (depth === 4) {
      if (name === "category") this.#item.terms.push({ ...this.#term, name: text.trim() });
      else if (!this.#item.fields.has(name)) this.#item.fields.set(name, text);
    } else if (depth === 5 && path[3] === "wp:postmeta") {
      if (name === "wp:meta_key") this.#metaKey = text.trim();
      if (name === "wp:meta_value" && this.#metaKey === "_wp_old_slug") this.#item.oldSlugs.push(text.trim());
      if (name === "wp:meta_value" && this.#metaKey === "enclosure") this.#item.enclosures.push(text);
      if (name === "wp:meta_value" && !this.#item.meta.has(this.#metaKey)) this.#item.meta.set(this.#metaKey, text);
    }
  }

  #addAuthor(shown: string): void {
    if (shown !== "" && this.#authors.size < MAX_PARTS) this.#authors.set(this.#login, shown);
    this.#login = "";
  }

  #tooLarge(item: WxrItem): void {
    item.isTooLarge = true;
    item.fields.delete("content:encoded");
    item.meta.clear();
    item.terms = [];
    item.oldSlugs = [];
    item.enclosures = [];
    this.#text = "";
  }
}
