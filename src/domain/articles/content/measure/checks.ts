import type { QualityCheck } from "../../article.ts";
import { MAX_PER_KIND } from "../../findings.ts";
import { type CheckId, CHECKS, LONG_PARAGRAPH_WORDS, LONG_SENTENCE_WORDS, PASS_SCORE, WARN_SCORE } from "../limits.ts";
import { interpolate } from "./scores.ts";
import { type Extract, extractText, toPlace } from "../integrity/report.ts";
import type { Facts } from "./facts.ts";

/** The checks that apply to the article, in the order of `CHECKS`. */
export function runChecks(facts: Facts): QualityCheck[] {
  const found: QualityCheck[] = [];
  for (const id of CHECK_IDS) {
    const measure = MEASURES[id];
    const value = measure.value(facts);
    if (value !== null) found.push(runCheck(id, measure, value, facts));
  }
  return found;
}

export const CHECK_IDS = Object.keys(CHECKS) as CheckId[];

type Text = string | ((facts: Facts) => string);

interface Measure {
  /** null: the check does not apply to this article, or there is nothing to tell it by. */
  value: (facts: Facts) => number | boolean | null;
  good: Text;
  /** The advice for a value that is too small, or for what is missing. */
  low?: Text;
  /** The advice for a value that is too large. */
  high?: Text;
  /** Where it does not pass. */
  places?: (facts: Facts) => readonly Extract[] | undefined;
}

const MEASURES: Readonly<Record<CheckId, Measure>> = {
  title_length: {
    value: (facts) => facts.titleWidth,
    good: "The title has a good length.",
    low: "Write a longer title: results pages have room for about 60 characters.",
    high: "Shorten the title: results pages cut it after about 60 characters.",
  },
  title_words: {
    value: ({ titleWords: { all, missing }, wordCount }) =>
      wordCount === 0 ? null : percent(all - missing.length, all),
    good: "The text is about what the title says.",
    low: ({ titleWords: { missing } }) => `Say in the text what the title promises: it lacks ${list(missing)}.`,
  },
  meta_description_length: {
    value: (facts) => ifKnown(facts, facts.metaDescriptionWidth),
    good: "The meta description has a good length.",
    low: (facts) =>
      facts.metaDescriptionWidth === 0
        ? "Write a meta description: it is what people read in results pages."
        : "Write a longer meta description: there is room for about 160 characters.",
    high: "Shorten the meta description: results pages cut it after about 160 characters.",
  },
  keyword_in_title: {
    value: ({ keyword: wanted, keywordIn }) => (wanted === null ? null : keywordIn.title),
    good: "The title has the keyword.",
    low: (facts) => `Use ${keyword(facts)} in the title.`,
  },
  keyword_in_text: {
    value: ({ keyword: wanted, keywordIn }) => (wanted === null ? null : keywordIn.text),
    good: "The text has the keyword.",
    low: (facts) => `Use ${keyword(facts)} in the text, or choose another keyword.`,
  },
  slug_length: {
    value: (facts) => facts.slugLength,
    good: "The slug is short enough.",
    high: "Shorten the slug to its most important words.",
  },
  flesch_reading_ease: {
    value: ({ prose }) => (prose.rhythm === null ? null : prose.readingEase),
    good: "The text is easy enough to read.",
    low: "Use shorter sentences and more common words.",
  },
  sentence_length: {
    value: ({ prose: { rhythm } }) => rhythm && oneDecimal(rhythm.averageWords),
    good: "The sentences have a good length.",
    low: "Join some sentences: many are very short.",
    high: ({ prose: { rhythm } }) =>
      `Shorten the sentences: they have ${Math.round(rhythm?.averageWords ?? 0)} words on average.`,
  },
  long_sentences: {
    value: ({ prose: { rhythm } }) => rhythm && percent(rhythm.long.length, rhythm.sentences),
    good: "Hardly any sentence is too long.",
    high: ({ prose: { rhythm } }) =>
      `Split ${counted(rhythm?.long.length ?? 0, "sentence")} with more than ${LONG_SENTENCE_WORDS} words.`,
    places: ({ prose: { rhythm } }) => rhythm?.long,
  },
  sentence_variety: {
    value: ({ prose: { rhythm } }) => (rhythm?.variety == null ? null : oneDecimal(rhythm.variety)),
    good: "Short and long sentences take turns.",
    low: "Let short and long sentences take turns: nearly all are equally long.",
  },
  repeated_starts: {
    value: ({ prose: { rhythm } }) => rhythm && percent(rhythm.repeatedStarts.length, rhythm.sentences),
    good: "Sentences in a row begin with different words.",
    high: "Begin sentences differently: three or more in a row begin with the same word.",
    places: ({ prose: { rhythm } }) => rhythm?.repeatedStarts,
  },
  long_paragraphs: {
    value: ({ prose }) =>
      prose.rhythm === null || prose.paragraphs === 0 ? null : percent(prose.longParagraphs.length, prose.paragraphs),
    good: "No paragraph is too long.",
    high: ({ prose }) =>
      `Split ${counted(prose.longParagraphs.length, "paragraph")} with more than ${LONG_PARAGRAPH_WORDS} words.`,
    places: ({ prose }) => prose.longParagraphs,
  },
  word_count: {
    value: (facts) => facts.wordCount,
    good: "The article is long enough to answer a question.",
    low: "This article is short. Aim for 600 words or more.",
  },
  first_paragraph: {
    value: (facts) => facts.firstParagraph,
    good: "The first paragraph has a good length.",
    low: "Say more in the first paragraph: it should tell what the article is about.",
    high: "Shorten or split the first paragraph: it should tell quickly what the article is about.",
  },
  subheading_distance: {
    value: (facts) => (facts.wordCount < MIN_WORDS_FOR_HEADINGS ? null : facts.longestStretch),
    good: "No part of the text is too long without a heading.",
    high: (facts) => `Add subheadings: up to ${facts.longestStretch} words stand without one.`,
  },
  heading_levels: {
    value: (facts) => ifHeadings(facts, facts.skippedLevels),
    good: "The headings follow one another level by level.",
    high: "Do not skip heading levels: an h2 is followed by an h3, not by an h4; the first heading is an h2.",
  },
  h1_in_content: {
    value: (facts) => ifHeadings(facts, facts.h1),
    good: "The title is the only first-level heading.",
    high: "Make the h1 in the content an h2: the page shows the title as its h1.",
  },
  heading_texts: {
    value: (facts) => ifHeadings(facts, facts.emptyHeadings),
    good: "Every heading has a text.",
    high: "Remove the headings without a text.",
  },
  external_links: {
    value: ({ wire, wordCount }) =>
      wordCount === 0 ? null : oneDecimal(per1000(wire.external_links, wordCount, MIN_WORDS_FOR_LINKS)),
    good: "The text links to other websites.",
    low: ({ wire: { external_links: links } }) =>
      `Link to ${links === 0 ? "a source or a further reading" : "more sources"} on other websites.`,
    high: "Leave out links that few readers need.",
  },
  internal_links: {
    value: ({ related, wire, wordCount }) => (related === null || wordCount === 0 ? null : wire.internal_links),
    good: "The text links to other articles of the website.",
    low: ({ related }) =>
      `Link to another article of the website, such as “${(related ?? "").slice(0, 80).toWellFormed()}”.`,
  },
  link_texts: {
    value: ({ linkTexts: { all, vague } }) => (all === 0 ? null : percent(vague, all)),
    good: "The links say where they lead.",
    high: ({ linkTexts: { vague } }) => `Name the target of ${counted(vague, "link")}, instead of “here” or “more”.`,
  },
  image_presence: {
    value: ({ wire, embeds, hasCodeOrTable, wordCount }) =>
      wordCount < MIN_WORDS_FOR_IMAGES
        ? null
        : oneDecimal(per1000(wire.images + embeds + (hasCodeOrTable ? 1 : 0), wordCount)),
    good: "The article shows what it writes about.",
    low: "Add an image, a video or a table to the text.",
  },
  images_without_alt: {
    value: ({ wire: { images, images_without_alt: missing } }) => (images === 0 ? null : percent(missing, images)),
    good: "Every image has an alternative text.",
    high: ({ wire }) =>
      `Describe ${counted(wire.images_without_alt, "image")} in an alt attribute (empty where it is decoration).`,
  },
  featured_image: {
    value: (facts) => ifKnown(facts, facts.featuredImage),
    good: "A featured image is set.",
    low: "Set a featured image.",
  },
  featured_image_alt: {
    value: (facts) => (facts.featuredImage ? ifKnown(facts, facts.featuredImageAlt) : null),
    good: "The featured image has an alternative text.",
    low: "Describe the featured image in its alternative text.",
  },
  specifics: {
    value: ({ evidence: { specifics }, prose: { words } }) =>
      specifics === null || words === 0 ? null : oneDecimal(per1000(specifics, words, MIN_WORDS_FOR_SPECIFICS)),
    good: "Names and numbers make the text concrete.",
    low: "Be more concrete: name people, places, products, dates or figures.",
  },
  unsourced_claims: {
    value: ({ evidence: { claims } }) => claims && claims.unsourced.length,
    good: "Studies and experts are mentioned with a link.",
    high: ({ evidence }) => `Link to the source of ${list(evidence.claims?.unsourced.map(extractText) ?? [])}.`,
    places: ({ evidence }) => evidence.claims?.unsourced,
  },
  unsourced_percentages: {
    value: ({ evidence: { percentages } }) =>
      percentages.all === 0 ? null : percent(percentages.unsourced.length, percentages.all),
    good: "Percentages stand beside a link to their source.",
    high: ({ evidence: { percentages } }) =>
      `Link to the source of the figures in ${counted(percentages.unsourced.length, "paragraph")} with percentages.`,
    places: ({ evidence: { percentages } }) => percentages.unsourced,
  },
  distinct_phrases: {
    value: ({ originality }) => originality && oneDecimal(originality.distinctPhrases),
    good: "The text hardly repeats itself.",
    low: "Remove what the text says twice: many phrases are repeated.",
  },
  stock_phrases: {
    value: ({ originality, prose: { words } }) =>
      originality?.stockPhrases == null
        ? null
        : oneDecimal(per1000(originality.stockPhrases.length, words, MIN_WORDS_FOR_PHRASES)),
    good: "The text is written in words of its own.",
    high: ({ originality }) =>
      `Replace phrases that could stand in any article: ${list(originality?.stockPhrases?.map(extractText) ?? [])}.`,
    places: ({ originality }) => originality?.stockPhrases ?? undefined,
  },
};

const MIN_WORDS_FOR_HEADINGS = 250;
const MIN_WORDS_FOR_LINKS = 250;
const MIN_WORDS_FOR_IMAGES = 500;
const MIN_WORDS_FOR_SPECIFICS = 200;
const MIN_WORDS_FOR_PHRASES = 1000;

function runCheck(id: CheckId, measure: Measure, value: number | boolean, facts: Facts): QualityCheck {
  const { threshold, curve } = CHECKS[id];
  const score = Math.round(interpolate(Number(value), curve));
  const best = curve.find((point) => point[1] === 100)?.[0] ?? 0;
  const { good, low = good, high = good } = measure;
  const isGood = score >= PASS_SCORE;
  const text = isGood ? good : Number(value) < best ? low : high;
  const places = isGood ? undefined : measure.places?.(facts);
  return {
    id,
    status: isGood ? "pass" : score >= WARN_SCORE ? "warn" : "fail",
    score,
    value,
    threshold,
    message: typeof text === "string" ? text : text(facts),
    ...(places === undefined ? {} : { places: places.slice(0, MAX_PER_KIND).map(toPlace) }),
  };
}

/** null for what an import did not bring: it may not know such a field. */
function ifKnown<T extends number | boolean>({ isImported }: Facts, value: T): T | null {
  return isImported && Number(value) === 0 ? null : value;
}

function ifHeadings(facts: Facts, value: number): number | null {
  return facts.wire.headings === 0 ? null : value;
}

function keyword(facts: Facts): string {
  return `“${facts.keyword?.slice(0, 80) ?? ""}”`;
}

const oneDecimal = (value: number): number => Math.round(10 * value) / 10;

const percent = (some: number, all: number): number => (all === 0 ? 100 : oneDecimal((100 * some) / all));

/** Fewer words count as `minWords`, so that one occurrence does not make a short text good or bad. */
function per1000(count: number, words: number, minWords = 1): number {
  return (1000 * count) / Math.max(minWords, words);
}

const MAX_LISTED = 3;

/** “a”, “b” and 2 more */
function list(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  const shown = different.slice(0, MAX_LISTED).map((text) => `“${text.slice(0, 40).toWellFormed()}”`);
  const rest = different.length - shown.length;
  const last = rest > 0 ? `${rest} more` : (shown.pop() ?? "");
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
