/** Reads items from XML in order, with only those of one chunk in memory. */
import { SaxesParser } from "saxes";
import { AppError } from "../domain/system/errors.ts";
import { decodeChunks } from "./import-file.ts";
import { MAX_ITEM_BYTES } from "./import-item.ts";

/** The point where the file is no longer valid XML; it is the last item. */
export interface XmlBreak {
  kind: "break";
  reason: string;
}

/** Makes items of what the parser finds, and puts them into `done`. */
export interface XmlItems<T> {
  done: T[];
  /** Nesting of elements. */
  readonly maxDepth: number;
  /** `path`: names of the open elements, this one included. */
  open(path: readonly string[], attributes: Readonly<Record<string, string>>): void;
  /** `path` still has the element. */
  close(path: readonly string[]): void;
  add(path: readonly string[], text: string): void;
  /** A text became longer than an article may be, and was discarded. */
  discard(): void;
  /** An end tag is wrong, and the parser has already closed the elements that it left open. */
  misclose?(): void;
}

/** saxes recovers well from these errors. Any other error means that the file is broken. */
const TOLERATED = /disallowed character\.|malformed character entity|is disallowed in char data|duplicate attribute/;

export async function* readXml<T>(chunks: AsyncIterable<Uint8Array>, items: XmlItems<T>): AsyncGenerator<T | XmlBreak> {
  const parser = createParser(items);
  const repair = new XmlRepair();
  try {
    for await (const chunk of decodeChunks(chunks)) {
      parser.write(repair.write(chunk, false));
      discardLongText(parser, items);
      yield* items.done.splice(0);
    }
    parser.write(repair.write("", true)).close();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield* items.done;
    yield { kind: "break", reason: error.message };
    return;
  }
  yield* items.done;
}

function createParser<T>(items: XmlItems<T>): SaxesParser {
  const parser = new SaxesParser();
  const path: string[] = [];
  parser.on("error", (error) => {
    const why = error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, "");
    if (TOLERATED.test(why)) return;
    if (why.startsWith("unexpected close tag")) items.misclose?.();
    const place = `line ${parser.line}, column ${parser.column}`;
    throw new AppError("invalid", `It is not valid XML at ${place}: ${why.replace(/\.$/, "")}.`);
  });
  parser.on("opentag", ({ name, attributes }) => {
    path.push(name);
    if (path.length > items.maxDepth) {
      const nested = `its elements are nested more than ${items.maxDepth} deep`;
      throw new AppError("invalid", `At line ${parser.line}, ${nested}.`);
    }
    items.open(path, attributes);
  });
  parser.on("closetag", () => {
    items.close(path);
    path.pop();
  });
  parser.on("text", (text) => items.add(path, text));
  parser.on("cdata", (text) => items.add(path, text));
  return parser;
}

/**
 * saxes reports a text only when it is complete. A text that would fill the memory is discarded while it grows, for which
 * there is no public API.
 */
function discardLongText<T>(parser: SaxesParser, items: XmlItems<T>): void {
  const inside = parser as unknown as { text: string };
  if (inside.text.length <= MAX_ITEM_BYTES) return;
  inside.text = "";
  items.discard();
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
