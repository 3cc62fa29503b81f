/** Compares what an article delivers with what its source says. */
import type { WarningKind } from "../../src/domain/articles/warnings.ts";
import { type Json, records } from "../helpers/http.ts";
import { type Facts, readFacts, squeeze } from "./facts.ts";
import type { SourceArticle } from "./markdown-sources.ts";

export interface Difference {
  kind: keyof typeof EXPLAINED_BY;
  detail: string;
}

/** The warnings that may explain each kind of difference. */
const CONTENT = ["words_lost", "source_markup", "construct_replaced", "element_removed"] as const;
export const EXPLAINED_BY = {
  words: [...CONTENT, "embed_replaced"],
  order: [...CONTENT, "embed_replaced"],
  heading: CONTENT,
  code: CONTENT,
  link: [...CONTENT, "embed_replaced", "link_dead"],
  picture: [...CONTENT, "embed_replaced", "picture_missing"],
  table: CONTENT,
  footnote: CONTENT,
  anchor: ["anchor_dead"],
  title: ["metadata_guessed"],
  date: ["date_guessed"],
  slug: ["address_guessed"],
  state: ["state_guessed"],
  author: ["metadata_guessed"],
  tags: ["metadata_guessed"],
} as const satisfies Record<string, readonly WarningKind[]>;

/** What is in the source and not in the article. Its title and excerpt may be of the text. */
export function compareFacts(source: Facts, made: Facts, { title, excerpt }: Json): Difference[] {
  const found: Difference[] = [];
  const add = (kind: Difference["kind"], details: readonly string[]) => {
    for (const detail of details) found.push({ kind, detail });
  };
  const carried = [title, excerpt].map((text) => squeeze(typeof text === "string" ? text : ""));
  const [first = ""] = source.headings;
  // As the text writes it.
  if (first.slice(2).toLowerCase() === carried[0]?.toLowerCase()) carried[0] = first.slice(2);
  const all = [...made.blocks, ...carried];
  const lost = lacking(words(source.blocks), words(all)).filter((word) => !isDrawn(word, made.blocks));
  if (lost.length > 0) add("words", [lost.join(" ")]);
  const joined = tight(all.join(""));
  if (lost.length === 0)
    add(
      "order",
      source.blocks.filter((block) => !isDrawn(block, made.blocks) && !joined.includes(tight(block))),
    );
  add(
    "heading",
    lacking(source.headings, made.headings).filter((heading) => !carried.includes(heading.slice(2))),
  );
  add("code", lacking(source.codes, made.codes));
  add("link", lacking(source.links.map(write), made.links.map(write)));
  add("picture", lacking(source.pictures.map(pictureName), made.pictures.map(pictureName)));
  add("table", lacking(source.tables, made.tables));
  if (source.footnotes > made.footnotes) add("footnote", [`${source.footnotes} → ${made.footnotes}`]);
  add(
    "anchor",
    made.links.flatMap(({ href }) =>
      href.startsWith("#") && href.length > 1 && !isAlive(href.slice(1), made.ids) ? [href] : [],
    ),
  );
  return found;
}

/** Whether it is the name of an emoji, in place of which there are such characters. */
function isDrawn(word: string, blocks: readonly string[]): boolean {
  return /:[a-z\d_+-]+:/.test(word) && blocks.some((block) => /\p{Extended_Pictographic}/u.test(block));
}

/** `line`: of an export. */
export function compareFields(source: SourceArticle, line: Json): Difference[] {
  const found: Difference[] = [];
  const compare = (kind: Difference["kind"], wanted: unknown, given: unknown) => {
    const [a, b] = [JSON.stringify(wanted), JSON.stringify(given)];
    if (wanted !== undefined && a !== b) found.push({ kind, detail: `${a} → ${b}` });
  };
  const { title, slug, date, tags, authors } = source;
  compare("title", title === undefined ? undefined : squeeze(plain(title)), line["title"]);
  if (slug !== undefined) compare("slug", slugRoot(slug), slugRoot(String(line["slug"])));
  const day = date === undefined ? undefined : Date.parse(/Z|[+-]\d\d:?\d\d$/.test(date) ? date : `${date}Z`);
  const time = Number.isNaN(day) ? Date.parse(`${date?.slice(0, 10)}T00:00Z`) : day;
  compare("date", time, Date.parse(String(line["published_at"] ?? line["created_at"])));
  compare("tags", tags?.filter(Boolean).map(plain).toSorted(), (line["tags"] as string[]).toSorted());
  compare(
    "author",
    authors?.join(", "),
    records(line["authors"])
      .map(({ name }) => name)
      .join(", "),
  );
  return found;
}

/** Without what makes a slug ours: signs that none has, and the number of one that is taken. */
const slugRoot = (slug: string): string =>
  slug
    .replace(/\.html$/, "")
    .replace(/-\d+$/, "")
    .replaceAll(/[^\p{L}\p{N}.-]/gu, "");

/** With its references to characters resolved. */
const plain = (text: string): string => readFacts(text.replaceAll("<", "&lt;")).blocks.join(" ");

function isAlive(name: string, ids: ReadonlySet<string>): boolean {
  const names = [name, decode(name)];
  return name === "top" || names.some((one) => ids.has(one));
}

const words = (blocks: readonly string[]): string[] => blocks.flatMap((block) => block.split(" "));
const tight = (text: string): string => text.replaceAll(/\s+/g, "");
const write = ({ href, text }: { href: string; text: string }): string => `[${text}](${address(href)})`;

/** A picture beside the file gets an address here, which ends in its name. */
function pictureName(written: string): string {
  const isOwn = !/^(?:[a-z]+:)?\/\//i.test(written) || written.includes("/assets/");
  const name = address(written).split("/").at(-1) ?? "";
  return isOwn ? name.toLowerCase().replaceAll(/[^a-z\d]/g, "") : address(written);
}

/** One way to write each address. */
function address(written: string): string {
  if (written.startsWith("#")) return decode(written).replace("#user-content-", "#");
  return decode(
    URL.parse(written.trim().replaceAll(/%(?![\da-f]{2})/gi, "%25"), "https://here.invalid/")?.href ?? written,
  ).replace(/^https:\/\/here\.invalid\//, "/");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Those of `all` of which `kept` has fewer. */
function lacking(all: readonly string[], kept: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of kept) left.set(one, (left.get(one) ?? 0) + 1);
  return all.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}
