import type { QualityMetrics } from "../../article.ts";
import type { ContentSource } from "../content-source.ts";
import type { Links } from "../html/urls.ts";
import type { Material } from "../integrity/material.ts";
import { type Evidence, findEvidence } from "./evidence.ts";
import { measureProse, type Prose } from "./prose.ts";
import { Keyword } from "./search.ts";
import { keyWords, Stems } from "./stems.ts";
import type { Extract } from "../integrity/report.ts";
import { findPhrases, PHRASES } from "./phrases.ts";

export interface Facts {
  wire: QualityMetrics["facts"];
  wordCount: number;
  /** Fields that are empty may be unknown. */
  isImported: boolean;
  related: string | null;
  keyword: string | null;
  keywordIn: { title: boolean; text: boolean };
  /** Display columns of the title: full-width characters count twice. */
  titleWidth: number;
  titleWords: { all: number; missing: readonly string[] };
  metaDescriptionWidth: number;
  slugLength: number;
  prose: Prose;
  /** Words of the first paragraph; null: there is none. */
  firstParagraph: number | null;
  longestStretch: number;
  skippedLevels: number;
  h1: number;
  emptyHeadings: number;
  /** Links with a text, other than to places in the article; `vague`: the text does not say where they lead. */
  linkTexts: { all: number; vague: number };
  embeds: number;
  /** Code and tables show something, as images do. */
  hasCodeOrTable: boolean;
  featuredImage: boolean;
  featuredImageAlt: boolean;
  evidence: Evidence;
  originality: Originality | null;
}

export interface MetricsInput {
  source: ContentSource;
  material: Material;
  text: string;
  tokens: () => readonly string[];
  links: Links;
  language: string | null;
}

export function gatherFacts({ source, material, text, tokens, links, language }: MetricsInput): Facts {
  const { blocks, headings, pictures } = material;
  const prose = measureProse(material, language);
  const wordCount = blocks.reduce((sum, { words }) => sum + words.length, 0);
  const metaDescription = source.metaDescription?.trim() ?? "";
  const keyword = [source.targetKeyword, ...source.seoKeywords].find((word) => word?.trim())?.trim() ?? null;
  const keywordCount = new Keyword(keyword ?? "").count(text, tokens);
  return {
    wire: {
      flesch_reading_ease: prose.readingEase,
      average_sentence_words: prose.sentences === 0 ? 0 : round(prose.words / prose.sentences, 10),
      keyword_count: keywordCount,
      keyword_density: wordCount === 0 ? 0 : round((100 * keywordCount) / wordCount, 100),
      title_length: countGraphemes(source.title.trim()),
      meta_description_length: countGraphemes(metaDescription),
      headings: headings.length,
      internal_links: links.internal.length,
      external_links: links.external.length,
      images: pictures.length,
      images_without_alt: pictures.filter((picture) => picture.alt === null).length,
    },
    wordCount,
    isImported: source.isImported,
    related: source.related ?? null,
    keyword,
    ...findTitleAndKeyword(material, keyword),
    titleWidth: measureWidth(source.title.trim()),
    metaDescriptionWidth: measureWidth(metaDescription),
    slugLength: source.slug.length,
    prose,
    firstParagraph: blocks.find(({ kind }) => kind === "paragraph")?.words.length ?? null,
    longestStretch: measureLongestStretch(material),
    ...countHeadings(headings),
    linkTexts: countLinkTexts(material),
    embeds: material.embeds,
    hasCodeOrTable: blocks.some(({ kind }) => kind === "code" || kind === "cell"),
    featuredImage: Boolean(source.featuredImageUrl),
    featuredImageAlt: Boolean(source.featuredImageAlt?.trim()),
    evidence: findEvidence(material, language),
    originality: measureOriginality(material, language),
  };
}

function findTitleAndKeyword({ title, vocabulary, textWords }: Material, keyword: string | null) {
  const isIn = (word: string) => (vocabulary.find(word) ?? textWords) < textWords;
  let stems: Stems | undefined;
  const inText = () => (stems ??= new Stems(vocabulary.words.slice(0, textWords)));
  const isFound = (word: string) => isIn(word) || inText().has(word);
  const all = keyWords(title.text);
  const keywordIn = { title: false, text: false };
  if (keyword !== null) {
    const wanted = keyWords(keyword);
    const titleStems = new Stems(title.words.ids.map((id) => vocabulary.words[id] ?? ""));
    keywordIn.title = wanted.every((word) => titleStems.has(word));
    keywordIn.text = wanted.every(isFound);
  }
  return { titleWords: { all: all.length, missing: all.filter((word) => !isFound(word)) }, keywordIn };
}

function measureLongestStretch({ blocks }: Material): number {
  let longest = 0;
  let stretch = 0;
  for (const { kind, words } of blocks) {
    stretch = kind === "heading" ? 0 : stretch + words.length;
    longest = Math.max(longest, stretch);
  }
  return longest;
}

function countHeadings(headings: Material["headings"]) {
  let skippedLevels = 0;
  let h1 = 0;
  let emptyHeadings = 0;
  // The title is the first heading level.
  let before = 1;
  for (const { level, text } of headings) {
    if (level > before + 1) skippedLevels += 1;
    if (level === 1) h1 += 1;
    if (text === "") emptyHeadings += 1;
    before = level;
  }
  return { skippedLevels, h1, emptyHeadings };
}

const VAGUE = new Set(
  "here;click here;this;link;this link;read more;more;learn more;hier;mehr;weiterlesen;ici;lire la suite;aquí;leer más;más".split(
    ";",
  ),
);
const MAX_VAGUE = 14;

function isVague(text: string): boolean {
  return text.length <= MAX_VAGUE && VAGUE.has(text.toLowerCase());
}

function countLinkTexts({ anchors }: Material) {
  const named = anchors.filter(({ text, href }) => text !== "" && !href.startsWith("#"));
  return { all: named.length, vague: named.filter(({ text }) => isVague(text)).length };
}

function round(value: number, steps: number): number {
  return Math.round(value * steps) / steps;
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

function countGraphemes(text: string): number {
  if (/^[\0-\u02ff]*$/.test(text)) return text.length;
  let length = 0;
  for (const _ of GRAPHEMES.segment(text)) length += 1;
  return length;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;

function measureWidth(text: string): number {
  return countGraphemes(text) + (text.match(WIDE)?.length ?? 0);
}

/** How much of a text is said once, and in words of its own. */
interface Originality {
  /** Percent of the sequences of four words that are different ones. */
  distinctPhrases: number;
  /** null: we know none of the language. */
  stockPhrases: readonly Extract[] | null;
}

/** A shorter text repeats nothing. */
const MIN_WORDS = 60;
const SEQUENCE = 4;

/** null: the text is too short to say. */
function measureOriginality({ paragraphs, vocabulary }: Material, language: string | null): Originality | null {
  const ids: number[] = [];
  for (const { kind, words } of paragraphs) if (kind === "paragraph") for (const id of words.ids) ids.push(id);
  if (ids.length < MIN_WORDS) return null;
  const stock = PHRASES[language ?? ""]?.stock;
  return {
    distinctPhrases: (100 * countDistinct(ids)) / (ids.length - SEQUENCE + 1),
    stockPhrases: stock === undefined ? null : findPhrases(stock, paragraphs, vocabulary),
  };
}

/** Counts hashes: two different sequences with the same one change nothing that would be seen in a score. */
function countDistinct(ids: readonly number[]): number {
  const bits = Math.ceil(Math.log2(ids.length)) + 1;
  /** The hashes, by their first bits; open addressing. */
  const seen = new Int32Array(2 ** bits);
  let count = 0;
  for (let at = 0; at <= ids.length - SEQUENCE; at += 1) {
    let hash = 0;
    for (let index = 0; index < SEQUENCE; index += 1) hash = Math.imul(hash ^ ((ids[at + index] ?? 0) + 1), MULTIPLIER);
    hash ^= hash >>> 15;
    // 0 is an empty slot.
    if (hash === 0) hash = 1;
    let slot = hash >>> (32 - bits);
    while (seen[slot] !== 0 && seen[slot] !== hash) slot = (slot + 1) & (seen.length - 1);
    if (seen[slot] === hash) continue;
    seen[slot] = hash;
    count += 1;
  }
  return count;
}

const MULTIPLIER = 0x9e3779b1;
