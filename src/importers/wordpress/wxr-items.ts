import { SaxesParser } from "saxes";
import { AppError } from "../../domain/system/errors.ts";
import { MAX_ITEM_BYTES } from "../import-item.ts";
import { decodeChunks } from "../import-file.ts";

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

/** The point where the file is no longer valid XML; it is the last item. */
export interface WxrBreak {
  kind: "break";
  reason: string;
}

/** saxes recovers well from these errors. Any other error means that the file is broken. */
export const TOLERATED_XML =
  /disallowed character\.|malformed character entity|is disallowed in char data|duplicate attribute/;

/** Nesting of elements: an export has five levels. */
const MAX_DEPTH = 100;
/** Elements, labels and settings of one item; the message in `wordpress-post.ts` states the number. */
const MAX_PARTS = 10_000;
/** Characters of a name of an author. */
const MAX_NAME = 1_000;

/** Reads the items of an export in order, with only the items of one chunk in memory. */
export async function* wxrItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<WxrItem | WxrBreak> {
  const reader = new WxrReader();
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

function countParts({ fields, terms, meta, oldSlugs, enclosures }: WxrItem): number {
  return fields.size + terms.length + meta.size + oldSlugs.length + enclosures.length;
}

class WxrReader {
  readonly #parser = new SaxesParser();
  readonly #fixer = new XmlRepair();
  readonly #path: string[] = [];
  #done: WxrItem[] = [];
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

  constructor() {
    const parser = this.#parser;
    parser.on("error", (error) => {
      const why = error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, "");
      if (TOLERATED_XML.test(why)) return;
      // saxes closes elements that a wrong end tag leaves open, and then reports it: the item did not really end.
      if (why.startsWith("unexpected close tag") && this.#hasJustEnded) this.#done.pop();
      throw new AppError(
        "invalid",
        `It is not valid XML at line ${parser.line}, column ${parser.column}: ${why.replace(/\.$/, "")}.`,
      );
    });
    parser.on("opentag", (tag) =>
      this.#open(tag.name, { domain: tag.attributes["domain"] ?? "", slug: tag.attributes["nicename"] ?? "" }),
    );
    parser.on("closetag", (tag) => this.#close(tag.name));
    parser.on("text", (text) => this.#add(text));
    parser.on("cdata", (text) => this.#add(text));
  }

  write(chunk: string): void {
    this.#parser.write(this.#fixer.write(chunk, false));
    // saxes reports a text only when it is complete. A text that would fill the memory is discarded while it grows, for
    // which there is no public API.
    const inside = this.#parser as unknown as { text: string };
    if (inside.text.length <= MAX_ITEM_BYTES) return;
    inside.text = "";
    if (this.#item !== null) this.#tooLarge(this.#item);
  }

  close(): void {
    this.#parser.write(this.#fixer.write("", true)).close();
  }

  take(): WxrItem[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #open(name: string, term: { domain: string; slug: string }): void {
    this.#path.push(name);
    if (this.#path.length > MAX_DEPTH) {
      throw new AppError(
        "invalid",
        `At line ${this.#parser.line}, its elements are nested more than ${MAX_DEPTH} deep.`,
      );
    }
    if (name === "item" && this.#path.length === 3) {
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
    this.#term = term;
  }

  #add(text: string): void {
    // Only elements directly in the channel, in an author, in an item, or in an item's postmeta are kept.
    const depth = this.#path.length;
    if (depth !== 3 && depth !== 4 && !(depth === 5 && this.#path[3] === "wp:postmeta")) return;
    const isOfAuthor = this.#item === null && depth === 4 && this.#path[2] === "wp:author";
    if (isOfAuthor && this.#text.length + text.length > MAX_NAME) return;
    if (depth > 3 && !isOfAuthor && this.#item?.isTooLarge !== false) return;
    this.#text += text;
    this.#size += text.length;
    if (this.#item !== null && this.#size > MAX_ITEM_BYTES) this.#tooLarge(this.#item);
  }

  #close(name: string): void {
    const depth = this.#path.length;
    const text = this.#text;
    this.#path.pop();
    this.#text = "";
    this.#hasJustEnded = false;
    if (this.#item === null) {
      if (depth === 3 && /^(?:link|wp:base_blog_url)$/.test(name) && text.trim() !== "") this.#site = text.trim();
      if (depth === 4 && name === "wp:author_login") this.#login = text.trim();
      if (depth === 4 && name === "wp:author_display_name" && this.#login !== "") this.#addAuthor(text.trim());
    } else if (depth === 3) {
      this.#done.push(this.#item);
      this.#item = null;
      this.#hasJustEnded = true;
    } else if (countParts(this.#item) >= MAX_PARTS) {
      this.#tooLarge(this.#item);
    } else if (depth === 4) {
      if (name === "category") this.#item.terms.push({ ...this.#term, name: text.trim() });
      else if (!this.#item.fields.has(name)) this.#item.fields.set(name, text);
    } else if (depth === 5 && this.#path[3] === "wp:postmeta") {
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

const MEANT = /<!\[CDATA\[|<!--|<(?![\p{L}_:/!?])|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/giu;
/** Longer than any searched token, so that none is missed at a chunk boundary. */
const LOOK_AHEAD = 12;
/** Control characters that XML forbids; they come from word processors and mean nothing. */
const FORBIDDEN = /[^\P{Cc}\t\n\r\u007F-\u009F]/gu;

/**
 * Repairs the XML that WordPress and Squarespace write: unescaped ampersands and angle brackets (`?a=1&b=2`, `<3`),
 * HTML's named entities, control characters, and blank lines before the declaration. Entities that a document defines
 * itself stay text, so that they cannot be used to fill the memory. In CDATA and comments only control characters are
 * removed.
 */
export class XmlRepair {
  #within: "text" | "]]>" | "-->" = "text";
  #carried = "";
  #isStart = true;

  /** The repaired text, as far as it can be decided; `isLast`: this is the last chunk. */
  write(chunk: string, isLast: boolean): string {
    let text = this.#carried + chunk.replace(FORBIDDEN, "");
    if (this.#isStart) text = text.trimStart();
    if (text !== "") this.#isStart = false;
    const end = isLast ? text.length : Math.max(0, text.length - LOOK_AHEAD);
    let done = "";
    let at = 0;
    while (at < end) {
      const next = this.#within === "text" ? nextMeant(text, at) : findNext(this.#within, text, at);
      if (next === null || next.index >= end) break;
      done += text.slice(at, next.index);
      at = next.index + next.found.length;
      if (next.found === "&" || next.found === "<") {
        done += next.found === "&" ? "&amp;" : "&lt;";
      } else {
        done += next.found;
        this.#within = this.#within !== "text" ? "text" : next.found === "<!--" ? "-->" : "]]>";
      }
    }
    const rest = Math.max(at, end);
    this.#carried = text.slice(rest);
    return done + text.slice(at, rest);
  }
}

interface Match {
  index: number;
  found: string;
}

function nextMeant(text: string, from: number): Match | null {
  MEANT.lastIndex = from;
  const match = MEANT.exec(text);
  return match === null ? null : { index: match.index, found: match[0] };
}

function findNext(mark: string, text: string, from: number): Match | null {
  const index = text.indexOf(mark, from);
  return index === -1 ? null : { index, found: mark };
}
