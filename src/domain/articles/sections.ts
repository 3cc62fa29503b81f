/** Sections of an article's source, so that a long text can be read in parts. */

export interface Section {
  /** From 0. */
  number: number;
  /** 0: before the first heading. */
  level: number;
  heading: string;
  start: number;
  end: number;
}

/** In Markdown outside of code, or in HTML. Both are linear: no part can match in two ways. */
const MARKDOWN_LINE = /^(?: {0,3}(`{3,}|~{3,})| {0,3}(#{1,6})[ \t]([^\n]*))/gm;
const HTML_HEADING = /<h([1-6])[\s>]/gi;
const MAX_HEADING = 120;

/** Each begins at a heading; one of more than `maxLength` characters is divided, between lines where it has any. */
export function findSections(text: string, source: "html" | "markdown", maxLength: number): Section[] {
  const headings = source === "html" ? findHtmlHeadings(text) : findMarkdownHeadings(text);
  const beginnings = headings[0]?.start === 0 ? headings : [{ level: 0, heading: "", start: 0 }, ...headings];
  const sections: Section[] = [];
  for (const [index, { level, heading, start }] of beginnings.entries()) {
    const end = beginnings[index + 1]?.start ?? text.length;
    let from = start;
    do {
      const to = end - from <= maxLength ? end : findBreak(text, from, from + maxLength);
      sections.push({ number: sections.length, level, heading, start: from, end: to });
      from = to;
    } while (from < end);
  }
  return sections;
}

type Heading = Pick<Section, "level" | "heading" | "start">;

function findMarkdownHeadings(text: string): Heading[] {
  const found: Heading[] = [];
  let fence: string | null = null;
  for (const { index, 1: ticks, 2: hashes = "", 3: words = "" } of text.matchAll(MARKDOWN_LINE)) {
    if (ticks !== undefined) {
      if (fence === null) fence = ticks;
      else if (ticks[0] === fence[0] && ticks.length >= fence.length) fence = null;
    } else if (fence === null) {
      found.push({ level: hashes.length, heading: shorten(words), start: index });
    }
  }
  return found;
}

function findHtmlHeadings(text: string): Heading[] {
  return Array.from(text.matchAll(HTML_HEADING), ({ index, 1: level }) => {
    const start = text.indexOf(">", index) + 1;
    const words = text.slice(start, start + 4 * MAX_HEADING).split(/<\/h[1-6]/i, 1)[0] ?? "";
    return { level: Number(level), heading: shorten(words.replaceAll(/<[^<>]*>/g, "")), start: index };
  });
}

function shorten(heading: string): string {
  const words = heading.trim();
  return words.length > MAX_HEADING ? `${words.slice(0, MAX_HEADING)}…` : words;
}

/** The end of the last line before `limit`, else the last place that divides no character. */
function findBreak(text: string, from: number, limit: number): number {
  const line = text.lastIndexOf("\n", limit - 1) + 1;
  if (line > from) return line;
  return (text.codePointAt(limit - 1) ?? 0) > 0xffff ? limit - 1 : limit;
}
