/** Markup of generators and editors that stands in an article's text, for all readers to see. */
import type { Parents, Root } from "hast";
import { UNSEEN } from "./tree.ts";

/** Whether there can be any: most articles need no closer look. */
const HINT = /\{[{%:]|:::|\[\^|!?\[[!/[]|!!!|\?\?\?|<\/?[A-Z]|(?:^|\n)(?:import|export) |\[toc\]/i;
const MAX_SHOWN = 100;
/** A line's beginning is far longer than what is looked for. */
const MAX_LINE = 20_000;

/** With `close`, the construct reaches to there; `isClosed`: without it, there is none. */
const CONSTRUCTS: readonly { begins: RegExp; close?: string; isClosed?: true }[] = [
  { begins: /\{\{[<%]/g, close: "}}" },
  { begins: /\{%-?\s*\w/g, close: "%}" },
  { begins: /\{\{-?\s*[^{}\s]/g, close: "}}", isClosed: true },
  { begins: /\{:\s*[.#:\w][^{}\n]{0,200}\}/g },
  { begins: /(?<![^\s>]):::+(?!:)/g },
  { begins: /\[\^[\w.-]{1,50}\]/g },
  { begins: /\[![a-z]{2,20}\][+-]?/gi },
  { begins: /!\[\[[^[\]\n]{1,200}\]\]/g },
  { begins: /\[\/[a-z][\w-]{1,40}\]/g },
  { begins: /^(?:!!!|\?\?\?\+?) +["\w]/g },
  { begins: /^\[\[?toc\]?\]$/gi },
  { begins: /<\/[A-Z][\w.]{0,60}>/g },
  { begins: /<[A-Z][\w.]{0,60}(?:\s[^<>\n]{0,300})?\/>/g },
  { begins: /<[A-Z][\w.]{0,60}\s+[\w-]{1,60}=/g, close: ">", isClosed: true },
  { begins: /^<[A-Z][\w.]{0,60}>/g },
  { begins: /^import [^\n]{1,300} from ["'][^"'\n]{1,300}["']/g },
  { begins: /^export (?:const|default|function) /g },
];

/** Each construct that is found, as a line of text begins with it or contains it; code and formulas are left out. */
export function findSourceMarkup(tree: Root, text: string): string[] {
  if (!HINT.test(text)) return [];
  const found = new Set<string>();
  for (const line of readProse(tree).split(/\n+/)) {
    const written = line.trim().slice(0, MAX_LINE);
    if (written === "" || !HINT.test(written)) continue;
    const prose = withoutFormulas(written);
    for (const { begins, close, isClosed } of CONSTRUCTS) {
      begins.lastIndex = 0;
      const match = begins.exec(prose);
      if (match === null) continue;
      const end = close === undefined ? -1 : prose.indexOf(close, match.index + match[0].length);
      if (end < 0 && isClosed === true) continue;
      const isShort = end >= 0 && end - match.index < MAX_SHOWN;
      const last = isShort ? end + (close?.length ?? 0) : match.index + Math.max(match[0].length, MAX_SHOWN / 2);
      found.add(prose.slice(match.index, last));
      break;
    }
  }
  return [...found];
}

const CODE: ReadonlySet<string> = new Set("code kbd math pre samp tt var".split(" "));
const BREAKS =
  /^(?:address|article|aside|blockquote|br|caption|d[dlt]|details|div|fig\w+|footer|h[1-6r]|header|li|main|[ou]l|p|section|summary|t\w+)$/;

function readProse(tree: Root): string {
  const parts: string[] = [];
  collect(tree, parts);
  return parts.join("");
}

function collect(parent: Parents, parts: string[]): void {
  for (const child of parent.children) {
    if (child.type === "text") parts.push(child.value);
    else if (child.type === "element" && !UNSEEN.has(child.tagName)) {
      const isBreak = BREAKS.test(child.tagName);
      if (isBreak) parts.push("\n");
      // Something was there: what stands on both sides of it is not one construct.
      if (CODE.has(child.tagName)) parts.push("\u00a0");
      else collect(child, parts);
      if (isBreak) parts.push("\n");
    }
  }
}

/** Braces have another meaning in TeX. */
function withoutFormulas(line: string): string {
  const text = line.includes("$") ? line.replaceAll(FORMULA, " ") : line;
  let rest = "";
  let from = 0;
  for (let start = text.indexOf("\\("); start >= 0; start = text.indexOf("\\(", from)) {
    const end = text.indexOf("\\)", start);
    if (end < 0) break;
    rest += `${text.slice(from, start)} `;
    from = end + 2;
  }
  return rest + text.slice(from);
}

const FORMULA = /\$\$[^$]{1,2000}\$\$|\$[^$\s][^$]{0,1000}\$/g;
