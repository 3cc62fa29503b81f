/** Steps that several generators of plain Markdown share. */
import { posix } from "node:path";
import type { Site } from "../../site.ts";
import { findTags } from "./tags.ts";

const NO_TAGS = { forms: [], read: () => null, isVerbatim: () => false };

/** Replaces text outside code; `code` gets the code with its marks. */
export function mapProse(
  body: string,
  prose: (text: string) => string,
  code: (code: string) => string = (text) => text,
): string {
  return findTags(body, NO_TAGS, "markdown")
    .map((piece) => (piece.kind === "text" ? prose(piece.text) : piece.kind === "code" ? code(piece.text) : ""))
    .join("");
}

/** Whether a text has a construct outside code. */
export function hasInProse(body: string, construct: RegExp): boolean {
  return (
    construct.test(body) &&
    construct.test(
      mapProse(
        body,
        (text) => text,
        () => "",
      ),
    )
  );
}

/** Replaces lines outside fenced code; null leaves a line out. The opening line of code is a line, too. */
export function mapLines(body: string, line: (line: string, fence: string) => string | null): string {
  let fence = "";
  const made: string[] = [];
  for (const source of body.split("\n")) {
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(source)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence) && source.trim().endsWith(mark)) fence = "";
      made.push(source);
      continue;
    }
    const written = line(source, mark);
    if (written !== null) made.push(written);
    fence = mark;
  }
  return made.join("\n");
}

/** Lines from `from` on that are empty or indented by as many columns, without that indentation. */
export function indentedLines(
  lines: readonly string[],
  from: number,
  columns: number,
): { inside: string[]; end: number } {
  const inside: string[] = [];
  let end = from;
  for (let at = from; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").replace(/^\t+/, (tabs) => "    ".repeat(tabs.length));
    if (line.trim() === "") inside.push("");
    else if (line.startsWith(" ".repeat(columns))) {
      inside.push(line.slice(columns));
      end = at + 1;
    } else break;
  }
  return { inside: inside.slice(0, end - from), end };
}

/** A file of the site by a path as an article has it, in one of these folders or beside the article. */
export function readBeside(
  site: Site,
  pathInSite: string,
  path: string,
  folders: readonly string[] = [""],
): string | null {
  const places = [posix.join(posix.dirname(pathInSite), path), ...folders.map((folder) => posix.join(folder, path))];
  for (const place of places) {
    const text = place.startsWith("..") || place.startsWith("/") ? null : site.readFile(place);
    if (text !== null) return text.replaceAll("\r\n", "\n");
  }
  return null;
}

/** How deep files may include others, and the characters of all in one article. */
const MAX_DEPTH = 5;
const MAX_INCLUDED = 1_000_000;

/** The files that are being included in an article, the outermost first. No file is included within itself. */
export class Includes {
  readonly #open: string[];
  #characters = 0;

  /** @param body the text of the article. */
  constructor(body: string) {
    this.#open = [body.trim()];
  }

  /** What `write` makes of a file's text; null: the file is being included already, or it is too much. */
  add<T>(text: string, write: () => T): T | null {
    const whole = text.trim();
    // The article's own text is without its front matter.
    const isOpen = this.#open.some((open) => whole === open || (whole.endsWith(open) && /^(?:---|\+\+\+)/.test(whole)));
    if (isOpen || this.#open.length > MAX_DEPTH || this.#characters + text.length > MAX_INCLUDED) return null;
    this.#characters += text.length;
    this.#open.push(whole);
    const made = write();
    this.#open.pop();
    return made;
  }
}

/** `==mark==`, where a generator has it. */
export function markText(text: string): string {
  return text.replaceAll(/(?<![=\w])==(?![\s=])([^=\n]{1,500})(?<!\s)==(?!=)/g, "<mark>$1</mark>");
}

/** A path as the target of a link. */
export function linkTarget(path: string): string {
  return path.replaceAll("%", "%25").replaceAll(/[\s()<>"]/g, (sign) => PERCENT[sign] ?? encodeURIComponent(sign));
}

const PERCENT: Readonly<Record<string, string>> = { "(": "%28", ")": "%29" };
