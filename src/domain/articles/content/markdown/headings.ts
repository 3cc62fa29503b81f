import type { Token, Tokens } from "marked";

/** A heading with the id that its author wrote beside it. */
export interface NamedHeading extends Tokens.Heading {
  id?: string;
}

/** Splits the text and the id of `Water {#w}`, `Water {: #w .big}` and of an id in a comment of MDX; null without such an ending. */
export function splitAttributes(text: string): { text: string; id: string | undefined } | null {
  const start = text.endsWith("}") ? text.lastIndexOf("{") : -1;
  if (start < 0 || text[start - 1] === "\\") return null;
  const inside = text.slice(start + 1, -1).trim();
  const list = inside.startsWith("/*") && inside.endsWith("*/") ? inside.slice(2, -2) : inside.replace(/^:/, "");
  const names = list.trim().split(/\s+/);
  const isList = names.every((name) => /^(?:[#.][^\s#.'"`=]|[a-z][\w-]*=)/i.test(name));
  if (!isList || !names.some((name) => /^[#.]/.test(name))) return null;
  return { text: text.slice(0, start).trimEnd(), id: names.find((name) => name.startsWith("#"))?.slice(1) };
}

/** The ids of an article's headings: the one that was written, else one made of the text. */
export function nameHeadings(tokens: readonly Token[]): ReadonlyMap<Token, string> {
  const headings: NamedHeading[] = [];
  const targets = new Set<string>();
  const written = new Set<string>();
  collect(tokens, { headings, targets, written });
  const texts = headings.map(({ tokens }) => plainText(tokens).trim());
  for (const { id } of headings) if (id !== undefined) written.add(id);
  const wanted = [...targets].filter((target) => !written.has(target));
  let [best, most] = [new Map<Token, string>(), -1];
  for (const rule of RULES) {
    const ids = nameBy(rule, headings, texts);
    const made = new Set(ids.values());
    const found = wanted.filter((target) => made.has(target)).length;
    if (found > most) [best, most] = [ids, found];
    if (most === wanted.length) break;
  }
  const made = new Set(best.values());
  const dead = wanted.filter((target) => !made.has(target));
  if (dead.length > 0) nameAfterLinks(dead, headings, best, targets);
  return best;
}

/**
 * Names headings as links call them that no rule explains: the letters are the same, as in `#What-Next`, or words for
 * the heading's emoji follow.
 */
function nameAfterLinks(
  dead: readonly string[],
  headings: readonly NamedHeading[],
  ids: Map<Token, string>,
  targets: ReadonlySet<string>,
): void {
  const free = new Map<string, NamedHeading>();
  const drawn: string[] = [];
  for (const heading of headings) {
    if (heading.id !== undefined || targets.has(ids.get(heading) ?? "")) continue;
    const text = plainText(heading.tokens);
    const key = squash(text);
    if (key === "" || free.has(key)) continue;
    free.set(key, heading);
    if (/\p{Extended_Pictographic}/u.test(text) && drawn.length < MAX_DRAWN) drawn.push(key);
  }
  for (const target of dead) {
    const wanted = squash(target);
    const key = free.has(wanted) ? wanted : drawn.find((one) => wanted.startsWith(one) && free.has(one));
    const heading = key === undefined ? undefined : free.get(key);
    if (key === undefined || heading === undefined) continue;
    ids.set(heading, target.slice(0, MAX_ID));
    free.delete(key);
  }
}

const squash = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
/** Per article; each is compared with each link. */
const MAX_DRAWN = 100;

interface Rule {
  toId: (text: string) => string;
  /** Before the number of an id that is there already. */
  joint: string;
}

/** The rules of generators. The one by which most of an article's own links lead to a heading is the one it is written for. */
const RULES: readonly Rule[] = [
  // GitHub, Hugo, Docusaurus, Astro.
  {
    toId: (text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
        .replaceAll(" ", "-"),
    joint: "-",
  },
  // kramdown, of Jekyll.
  {
    toId: (text) =>
      text
        .replace(/^[^a-z]+/i, "")
        .replaceAll(/[^a-z0-9 -]/gi, "")
        .replaceAll(" ", "-")
        .toLowerCase() || "section",
    joint: "-",
  },
  // VitePress.
  {
    toId: (text) =>
      text
        .normalize("NFKD")
        .replaceAll(/[\u0300-\u036f]/g, "")
        .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
        .replace(/^-/, "")
        .replace(/-$/, "")
        .replace(/^(?=\d)/, "_")
        .toLowerCase(),
    joint: "-",
  },
  // Python-Markdown, of MkDocs and Pelican.
  {
    toId: (text) =>
      text
        .normalize("NFKD")
        .replaceAll(/[^\w\s-]/g, "")
        .trim()
        .toLowerCase()
        .replaceAll(/[-\s]+/g, "-"),
    joint: "_",
  },
];

function nameBy(
  { toId, joint }: Rule,
  headings: readonly NamedHeading[],
  texts: readonly string[],
): Map<Token, string> {
  const ids = new Map<Token, string>();
  const taken = new Set(headings.flatMap(({ id }) => id ?? []));
  const numbers = new Map<string, number>();
  const given = new Set<string>();
  for (const [index, heading] of headings.entries()) {
    if (heading.id !== undefined && !given.has(heading.id)) {
      given.add(heading.id);
      ids.set(heading, heading.id);
      continue;
    }
    const base = heading.id ?? toId(texts[index] ?? "").slice(0, MAX_ID);
    if (base === "") continue;
    let id = base;
    let number = numbers.get(base) ?? 0;
    while (taken.has(id)) {
      number += 1;
      id = `${base}${joint}${number}`;
    }
    numbers.set(base, number);
    taken.add(id);
    ids.set(heading, id);
  }
  return ids;
}

const MAX_ID = 200;

interface Collected {
  headings: NamedHeading[];
  /** The names to which links lead. */
  targets: Set<string>;
  /** Those that HTML in the article has. */
  written: Set<string>;
}

function collect(tokens: readonly Token[], found: Collected): void {
  for (const token of tokens) {
    if (token.type === "heading") found.headings.push(token as NamedHeading);
    else if (token.type === "link") addTarget((token as Tokens.Link).href, found.targets);
    else if (token.type === "html") addNames((token as Tokens.HTML).text, found.written);
    else if (token.type === "list") collect((token as Tokens.List).items, found);
    else if (token.type === "table") {
      const { header, rows } = token as Tokens.Table;
      for (const cell of [...header, ...rows.flat()]) collect(cell.tokens, found);
    }
    if ("tokens" in token && token.tokens !== undefined) collect(token.tokens, found);
  }
}

function addNames(html: string, names: Set<string>): void {
  for (const [, name = ""] of html.matchAll(/\s(?:id|name)=["']?(?:user-content-)?([^"'\s>]+)/gi)) names.add(name);
}

function addTarget(href: string, targets: Set<string>): void {
  if (!href.startsWith("#") || href.length === 1) return;
  try {
    targets.add(decodeURIComponent(href.slice(1)));
  } catch {
    targets.add(href.slice(1));
  }
}

/** The words of inline tokens. Tags and references to characters, which no rule keeps, are left out. */
function plainText(tokens: readonly Token[]): string {
  let text = "";
  for (const token of tokens) {
    if (token.type === "html" || token.type === "image" || token.type === "noteReference") continue;
    if (token.type === "br") text += " ";
    else if ("tokens" in token && token.tokens !== undefined) text += plainText(token.tokens);
    else if ("text" in token) text += String(token.text).replaceAll(/&(?:amp|lt|gt|quot|nbsp|#\d{1,7});/g, "");
  }
  return text;
}
