/** A part of a Markdown text: prose, or fenced code including its fences. */
interface Part {
  isCode: boolean;
  text: string;
}

/** Splits Markdown into parts, which joined by line breaks are the text again. An unclosed fence goes to the end. */
function fencedParts(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const flush = (): void => {
    if (lines.length > 0) parts.push({ isCode: fence !== null, text: lines.join("\n") });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const mark: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) {
      flush();
      fence = mark;
      lines.push(line);
      continue;
    }
    lines.push(line);
    if (fence !== null && mark?.startsWith(fence) === true && line.trim() === mark) {
      flush();
      fence = null;
    }
  }
  flush();
  return parts;
}

/** The text without its code, to look for constructs of generators: empty if it has no brace. */
export function prose(body: string): string {
  if (!body.includes("{")) return "";
  return fencedParts(body)
    .flatMap((part) => (part.isCode ? [] : part.text.replaceAll(/`[^`\n]*`/g, "")))
    .join("\n");
}

/** Takes the first level-1 heading; at the beginning it is removed, as sites show it above. `null`: there is none. */
export function takeHeading(body: string): { title: string; body: string } | null {
  const start = /^(?:\s|<!--[\s\S]*?-->)*/.exec(body)?.[0].length ?? 0;
  const first = /^#[ \t]+([^\n]+)(?:\n|$)|^([^\n#>\-*+`~|<\s][^\n]*)\n=+[ \t]*(?:\n|$)/.exec(body.slice(start));
  if (first !== null) {
    const title = plainHeading(first[1] ?? first[2] ?? "");
    if (title === "") return null;
    return { title, body: (body.slice(0, start) + body.slice(start + first[0].length)).trim() };
  }
  const prose = fencedParts(body).flatMap((part) => (part.isCode ? [] : [part.text]));
  const withoutCode = prose.join("\n");
  const later = plainHeading(/^#[ \t]+([^\n]+)$/m.exec(withoutCode)?.[1] ?? "");
  return later === "" ? null : { title: later, body };
}

/** Without the heading at the beginning that repeats the title, which sites show above. */
export function withoutTitle(body: string, title: string, language: "markdown" | "html"): string {
  const start = /^(?:\s|<!--[\s\S]*?-->)*/.exec(body)?.[0].length ?? 0;
  const text = body.slice(start);
  const heading = language === "html" ? /^<h1(?:\s[^<>]*)?>([^<]*)<\/h1>/i.exec(text) : FIRST_HEADING.exec(text);
  const words = heading === null ? "" : plainHeading(heading[1] ?? heading[2] ?? "");
  if (heading === null || toWords(words) === "" || toWords(words) !== toWords(title)) return body;
  const rest = (body.slice(0, start) + text.slice(heading[0].length)).trim();
  return rest === "" ? body : rest;
}

const FIRST_HEADING = /^#{1,2}[ \t]+([^\n]+)(?:\n|$)|^([^\n#>\-*+`~|<\s][^\n]*)\n[=-]+[ \t]*(?:\n|$)/;

function toWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
}

const LINK = /!?\[([^[\]]*)\]\([^()]*\)/g;

function plainHeading(heading: string): string {
  const text = heading.replace(/\s+/g, " ").trim();
  // Too long for a title, and for the patterns below, which take quadratic time.
  if (text.length > 2000) return text;
  return (
    text
      .replace(/ #+$/, "")
      .replace(/ ?\{[#.:][^{}]*\}$/, "")
      // Replaced twice: an image may be the text of a link.
      .replace(LINK, "$1")
      .replace(LINK, "$1")
      .replace(/(\*\*|__|`|~~)(.+?)\1/g, "$2")
      .replace(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, "$1")
      .replace(/\\([!-/:-@[-`{-~])/g, "$1")
      .trim()
  );
}
