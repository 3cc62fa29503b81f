import { MAX_DEPTH } from "../../domain/articles/content/html/html-scanner.ts";
import { AppError } from "../../domain/system/errors.ts";
import { withoutComments } from "../delimited.ts";

/** Elements that may contain paragraphs. */
const CONTAINERS = new Set([
  "div",
  "blockquote",
  "section",
  "article",
  "aside",
  "main",
  "header",
  "footer",
  "center",
  "details",
]);
/** Elements that stand between paragraphs and whose content is left unchanged. */
const BLOCKS = new Set(
  (
    "address audio canvas dd dl dt embed fieldset figcaption figure form h1 h2 h3 h4 h5 h6 hr iframe legend li nav " +
    "noscript object ol p pre script style summary table tbody td tfoot th thead tr ul video"
  ).split(" "),
);
const VOID = new Set(["hr", "embed"]);

/** Paragraphs separated by empty lines, as WordPress shows classic posts (`wpautop`). */
export function wpautop(text: string): string {
  const blocks: string[] = [];
  /** Open elements whose content is left unchanged; while there are any, everything belongs to the last block. */
  const open: string[] = [];
  let inline = "";
  const put = (piece: string): void => {
    if (open.length === 0) inline += piece;
    else blocks[blocks.length - 1] += piece;
  };
  const push = (name: string): void => {
    if (open.length >= MAX_DEPTH) throw new AppError("invalid", "Its HTML is nested too deeply. Simplify it.");
    open.push(name);
  };
  const flush = (): void => {
    for (const block of wrapped(inline)) blocks.push(block);
    inline = "";
  };
  const pieces = /<!--|<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/gi;
  let from = 0;
  for (let match = pieces.exec(text); match !== null; match = pieces.exec(text)) {
    const [tag, slash, rawName] = match;
    if (rawName === undefined) {
      const end = text.indexOf("-->", match.index);
      if (end === -1) break;
      // A comment is plain text, even if it contains tags.
      pieces.lastIndex = end + 3;
      continue;
    }
    put(text.slice(from, match.index));
    from = match.index + tag.length;
    const name = rawName.toLowerCase();
    const isClosing = slash === "/";
    if (open.length > 0) {
      put(tag);
      if (isClosing && open.includes(name)) open.splice(open.lastIndexOf(name));
      else if (!isClosing && BLOCKS.has(name) && !VOID.has(name) && !tag.endsWith("/>")) push(name);
    } else if (CONTAINERS.has(name)) {
      flush();
      blocks.push(tag);
    } else if (BLOCKS.has(name)) {
      flush();
      blocks.push(tag);
      if (!isClosing && !VOID.has(name) && !tag.endsWith("/>")) push(name);
    } else {
      put(tag);
    }
  }
  put(text.slice(from));
  flush();
  return blocks.join("\n");
}

function wrapped(inline: string): string[] {
  return inline.split(/\n[^\S\n]*\n\s*/).flatMap((part) => {
    const text = part.trim();
    if (text === "") return [];
    // A comment such as <!--more--> is not a paragraph.
    if (withoutComments(text).trim() === "") return [text];
    // WordPress displayed a bare URL on its own line as an embed of its target.
    if (/^https?:\/\/[^\s<>"]+$/.test(text)) return [`<p><a href="${text}">${text}</a></p>`];
    return [`<p>${breakLines(text)}</p>`];
  });
}

/** Ends each line with `<br>`, once. */
function breakLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const last = lines.pop() ?? "";
  const others = lines.map((line) => (/<br ?\/?>$/.test(line) ? `${line}\n` : `${line}<br>\n`));
  return others.join("") + last;
}
