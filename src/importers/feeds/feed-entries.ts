import { escapeHtml } from "../html/html-tree.ts";
import { MAX_ITEM_BYTES } from "../import-item.ts";
import { readXml, type XmlBreak, type XmlItems } from "../xml.ts";

/** An element of an entry or of the feed; one within another is called `author>name`. */
export interface FeedPart {
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Of XHTML: its markup. */
  text: string;
}

export interface FeedEntry {
  kind: "entry";
  /** Starts at 1. */
  number: number;
  isAtom: boolean;
  parts: FeedPart[];
  /** What the feed says of itself before its entries. */
  feed: readonly FeedPart[];
  /** It is longer than an article may be; its parts were discarded. */
  isTooLarge: boolean;
}

const MAX_DEPTH = 500;
/** Of an entry, and of the feed. */
const MAX_PARTS = 10_000;

/** Entries of RSS and Atom in order. */
export function feedEntries(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FeedEntry | XmlBreak> {
  return readXml(chunks, new FeedReader());
}

class FeedReader implements XmlItems<FeedEntry> {
  readonly maxDepth = MAX_DEPTH;
  readonly done: FeedEntry[] = [];
  readonly #feed: FeedPart[] = [];
  #entry: FeedEntry | null = null;
  /** Length of the path to the entry. */
  #depth = 0;
  #count = 0;
  #size = 0;
  /** Those that are open, below the entry or the feed. */
  #open: FeedPart[] = [];
  /** Within XHTML: the length of the path to what holds it. */
  #markup: number | null = null;

  open(path: readonly string[], attributes: Readonly<Record<string, string>>): void {
    const depth = path.length;
    const name = path.at(-1) ?? "";
    if (this.#markup !== null) {
      const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
      this.#append(`<${withoutPrefix(name)}${written.join("")}>`);
      return;
    }
    if (this.#entry === null && /^(?:item|entry)$/.test(name) && (depth === 2 || depth === 3)) {
      this.#count += 1;
      this.#size = 0;
      this.#depth = depth;
      this.#open = [];
      this.#entry = {
        kind: "entry",
        number: this.#count,
        isAtom: name === "entry",
        parts: [],
        feed: this.#feed,
        isTooLarge: false,
      };
      return;
    }
    // RSS has its elements in a channel.
    if (this.#entry === null && (depth === 1 || name === "channel")) {
      this.#depth = depth;
      return;
    }
    const outer = this.#open.at(-1);
    this.#open.push({ name: outer === undefined ? name : `${outer.name}>${name}`, attributes, text: "" });
    if (attributes["type"] === "xhtml") this.#markup = depth;
  }

  add(_path: readonly string[], text: string): void {
    this.#append(this.#markup === null ? text : escapeHtml(text));
  }

  #append(text: string): void {
    const part = this.#open.at(-1);
    if (part === undefined || this.#entry?.isTooLarge === true) return;
    this.#size += text.length;
    if (this.#size > MAX_ITEM_BYTES) this.discard();
    else part.text += text;
  }

  close(path: readonly string[]): void {
    const depth = path.length;
    const name = path.at(-1) ?? "";
    if (this.#markup !== null && depth > this.#markup) {
      if (!/^(?:br|hr|img|input|source|wbr|col)$/.test(withoutPrefix(name))) this.#append(`</${withoutPrefix(name)}>`);
      return;
    }
    if (this.#markup === depth) this.#markup = null;
    if (this.#entry !== null && depth === this.#depth) {
      this.done.push(this.#entry);
      this.#entry = null;
      this.#open = [];
      this.#size = 0;
      this.#depth = depth - 1;
      return;
    }
    const part = this.#open.pop();
    const parts = this.#entry?.parts ?? this.#feed;
    if (part === undefined || this.#entry?.isTooLarge === true) return;
    if (parts.length < MAX_PARTS) parts.push(part);
    else this.discard();
  }

  discard(): void {
    for (const part of this.#open) part.text = "";
    if (this.#entry === null) return;
    this.#entry.isTooLarge = true;
    this.#entry.parts = [];
  }
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
