import type { QualityMetrics } from "../../article.ts";
import type { ContentSource } from "../content-source.ts";
import { Keyword } from "./search.ts";
import { LONG_PARAGRAPH_WORDS } from "../limits.ts";
import type { Links } from "../html/urls.ts";
import { countSentences, countWords, readingEase, SpokenWords } from "./words.ts";
import { slugify } from "../slug.ts";
import type { DocumentStats } from "../html/text.ts";

export interface Facts {
  wire: QualityMetrics["facts"];
  wordCount: number;
  keyword: string | null;
  keywordIn: { title: boolean; metaDescription: boolean; firstParagraph: boolean; headings: boolean; slug: boolean };
  /** Display columns of the title: full-width characters count twice. */
  titleWidth: number;
  metaDescriptionWidth: number;
  slugLength: number;
  paragraphs: number;
  longParagraphs: number;
  longestStretch: number;
  skippedLevels: number;
  h1: number;
  emptyOrRepeatedHeadings: number;
  embeds: number;
  featuredImage: boolean;
  featuredImageAlt: boolean;
}

export interface MetricsInput {
  source: ContentSource;
  stats: DocumentStats;
  text: string;
  tokens: () => readonly string[];
  links: Links;
  language: string | null;
}

export function gatherFacts({ source, stats, text, tokens, links, language }: MetricsInput): Facts {
  const prose = countProse(stats, language);
  const metaDescription = source.metaDescription?.trim() ?? "";
  const keyword = [source.targetKeyword, ...source.seoKeywords].find((word) => word?.trim())?.trim() ?? null;
  const wanted = new Keyword(keyword ?? "");
  const keywordCount = wanted.count(text, tokens);
  const { headings, pictures } = stats;
  return {
    wire: {
      flesch_reading_ease: readingEase(language, prose.spoken, prose.sentences),
      average_sentence_words: prose.sentences === 0 ? 0 : round(prose.spoken.words / prose.sentences, 10),
      keyword_count: keywordCount,
      keyword_density: prose.wordCount === 0 ? 0 : round((100 * keywordCount) / prose.wordCount, 100),
      title_length: countGraphemes(source.title.trim()),
      meta_description_length: countGraphemes(metaDescription),
      headings: headings.length,
      internal_links: links.internal.length,
      external_links: links.external.length,
      images: pictures.length,
      images_without_alt: pictures.filter((picture) => picture.alt === null).length,
    },
    wordCount: prose.wordCount,
    keyword,
    keywordIn: {
      title: wanted.isIn(source.title),
      metaDescription: wanted.isIn(metaDescription),
      firstParagraph: wanted.isIn(stats.blocks.find((block) => block.kind === "paragraph")?.text ?? ""),
      headings: headings.some((heading) => wanted.isIn(heading.text)),
      slug: wanted.isInSlug(source.slug, slugify),
    },
    titleWidth: measureWidth(source.title.trim()),
    metaDescriptionWidth: measureWidth(metaDescription),
    slugLength: source.slug.length,
    paragraphs: prose.paragraphs,
    longParagraphs: prose.longParagraphs,
    longestStretch: prose.longestStretch,
    ...countHeadings(headings),
    embeds: stats.embeds,
    featuredImage: Boolean(source.featuredImageUrl),
    featuredImageAlt: Boolean(source.featuredImageAlt?.trim()),
  };
}

function countProse({ blocks }: DocumentStats, language: string | null) {
  const spoken = new SpokenWords(language);
  const found = { wordCount: 0, sentences: 0, paragraphs: 0, longParagraphs: 0 };
  let longestStretch = 0;
  let stretch = 0;
  for (const { kind, text } of blocks) {
    // Code and tables are not split into sentences.
    const isSpoken = kind === "paragraph" || kind === "item";
    const count = isSpoken ? spoken.add(text) : countWords(text);
    found.wordCount += count;
    if (kind === "heading") stretch = 0;
    else stretch += count;
    longestStretch = Math.max(longestStretch, stretch);
    if (!isSpoken || count === 0) continue;
    found.sentences += countSentences(text);
    found.paragraphs += 1;
    if (count > LONG_PARAGRAPH_WORDS) found.longParagraphs += 1;
  }
  return { ...found, spoken, longestStretch };
}

function countHeadings(headings: DocumentStats["headings"]) {
  const seen = new Set<string>();
  let skippedLevels = 0;
  let h1 = 0;
  let emptyOrRepeatedHeadings = 0;
  // The title is the first heading level.
  let before = 1;
  for (const { level, text } of headings) {
    if (level > before + 1) skippedLevels += 1;
    if (level === 1) h1 += 1;
    const key = text.toLowerCase();
    if (key === "" || seen.has(key)) emptyOrRepeatedHeadings += 1;
    seen.add(key);
    before = level;
  }
  return { skippedLevels, h1, emptyOrRepeatedHeadings };
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
