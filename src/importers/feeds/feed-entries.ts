import { SaxesParser } from "saxes";
import { AppError } from "../../domain/system/errors.ts";
import { escapeHtml } from "../html/html-tree.ts";
import { decodeChunks } from "../import-file.ts";
import { MAX_ITEM_BYTES } from "../import-item.ts";
import { TOLERATED_XML, XmlRepair } from "../wordpress/wxr-items.ts";

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

/** The point where the file is no longer valid XML; it is the last item. */
interface FeedBreak {
  kind: "break";
  reason: string;
}

const MAX_DEPTH = 500;
/** Of an entry, and of the feed. */
const MAX_PARTS = 10_000;

/** Entries of RSS and Atom in order, with only those of one chunk in memory. */
export async function* feedEntries(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FeedEntry | FeedBreak> {
  const reader = new FeedReader();
  try {
    for await (const chunk of decodeChunks(chunks)) {
      reader.write(chunk);
      yield* reader.take();
    }
    reader.close();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield* reader.take();
    yield { kind: "break", reason: error.message };
    return;
  }
  yield* reader.take();
}

class FeedReader {
  readonly #parser = new SaxesParser();
  readonly #repair = new XmlRepair();
  readonly #path: string[] = [];
  readonly #feed: FeedPart[] = [];
  #done: FeedEntry[] = [];
  #entry: FeedEntry | null = null;
  /** Length of the path to the entry. */
  #depth = 0;
  #count = 0;
  #size = 0;
  /** Those that are open, below the entry or the feed. */
  #open: FeedPart[] = [];
  /** Within XHTML: the length of the path to what holds it. */
  #markup: number | null = null;

  constructor() {
    const parser = this.#parser;
    parser.on("error", (error) => {
      const why = error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, "");
      if (TOLERATED_XML.test(why)) return;
      const place = `line ${parser.line}, column ${parser.column}`;
      throw new AppError("invalid", `It is not valid XML at ${place}: ${why.replace(/\.$/, "")}.`);
    });
    parser.on("opentag", (tag) => this.#start(tag.name, tag.attributes));
    parser.on("closetag", (tag) => this.#end(tag.name));
    parser.on("text", (text) => this.#add(text));
    parser.on("cdata", (text) => this.#add(text));
  }

  write(chunk: string): void {
    this.#parser.write(this.#repair.write(chunk, false));
    // As WordPress' reader does: a text that would fill the memory is discarded while it grows.
    const inside = this.#parser as unknown as { text: string };
    if (inside.text.length <= MAX_ITEM_BYTES) return;
    inside.text = "";
    this.#tooLarge();
  }

  close(): void {
    this.#parser.write(this.#repair.write("", true)).close();
  }

  take(): FeedEntry[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #start(name: string, attributes: Record<string, string>): void {
    this.#path.push(name);
    const depth = this.#path.length;
    if (depth > MAX_DEPTH)
      throw new AppError(
        "invalid",
        `At line ${this.#parser.line}, its elements are nested more than ${MAX_DEPTH} deep.`,
      );
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

  #add(text: string): void {
    this.#append(this.#markup === null ? text : escapeHtml(text));
  }

  #append(text: string): void {
    const part = this.#open.at(-1);
    if (part === undefined || this.#entry?.isTooLarge === true) return;
    this.#size += text.length;
    if (this.#size > MAX_ITEM_BYTES) this.#tooLarge();
    else part.text += text;
  }

  #end(name: string): void {
    const depth = this.#path.length;
    this.#path.pop();
    if (this.#markup !== null && depth > this.#markup) {
      if (!/^(?:br|hr|img|input|source|wbr|col)$/.test(withoutPrefix(name))) this.#append(`</${withoutPrefix(name)}>`);
      return;
    }
    if (this.#markup === depth) this.#markup = null;
    if (this.#entry !== null && depth === this.#depth) {
      this.#done.push(this.#entry);
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
    else this.#tooLarge();
  }

  #tooLarge(): void {
    for (const part of this.#open) part.text = "";
    if (this.#entry === null) return;
    this.#entry.isTooLarge = true;
    this.#entry.parts = [];
  }
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
