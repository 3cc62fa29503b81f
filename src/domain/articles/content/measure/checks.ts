import type { QualityCheck } from "../../article.ts";
import type { Facts } from "./facts.ts";
import { type Band, BANDS, PASS_SCORE, PRESENCES, WARN_SCORE } from "../limits.ts";

type BandId = keyof typeof BANDS;
type PresenceId = keyof typeof PRESENCES;
export type CheckId = BandId | PresenceId;

export function runChecks(facts: Facts): QualityCheck[] {
  return CHECKS.flatMap((check) => {
    const value = check.value(facts);
    return value === null ? [] : ["low" in check ? runBand(check, value, facts) : runPresence(check, value, facts)];
  });
}

type Text = string | ((facts: Facts) => string);

/** A value that should lie within a band. */
interface BandCheck {
  id: BandId;
  /** null if the check does not apply to this article. */
  value: (facts: Facts) => number | null;
  good: Text;
  low: Text;
  /** The advice for a value that can also be too large. */
  high?: Text;
}

interface PresenceCheck {
  id: PresenceId;
  value: (facts: Facts) => number | boolean | null;
  good: Text;
  missing: Text;
}

const CHECKS: readonly (BandCheck | PresenceCheck)[] = [
  {
    id: "title_length",
    value: (facts) => facts.titleWidth,
    good: "The title has a good length.",
    low: "Write a longer title: results pages have room for about 60 characters.",
    high: "Shorten the title: results pages cut it after about 60 characters.",
  },
  {
    id: "meta_description_length",
    value: (facts) => facts.metaDescriptionWidth,
    good: "The meta description has a good length.",
    low: (facts) =>
      facts.metaDescriptionWidth === 0
        ? "Write a meta description: it is what people read in results pages."
        : "Write a longer meta description: there is room for about 160 characters.",
    high: "Shorten the meta description: results pages cut it after about 160 characters.",
  },
  {
    id: "target_keyword",
    value: hasKeyword,
    good: (facts) => `The target keyword is ${keyword(facts)}.`,
    missing: "Set a target keyword to check the text for.",
  },
  {
    id: "keyword_in_title",
    value: (facts) => ifKeyword(facts, facts.keywordIn.title),
    good: "The title has the keyword.",
    missing: (facts) => `Use ${keyword(facts)} in the title.`,
  },
  {
    id: "keyword_in_meta_description",
    value: (facts) => ifKeyword(facts, facts.keywordIn.metaDescription),
    good: "The meta description has the keyword.",
    missing: (facts) => `Use ${keyword(facts)} in the meta description.`,
  },
  {
    id: "keyword_in_first_paragraph",
    value: (facts) => ifKeyword(facts, facts.keywordIn.firstParagraph),
    good: "The first paragraph has the keyword.",
    missing: (facts) => `Use ${keyword(facts)} in the first paragraph.`,
  },
  {
    id: "keyword_in_headings",
    value: (facts) => ifKeyword(facts, facts.keywordIn.headings),
    good: "A heading has the keyword.",
    missing: (facts) => `Use ${keyword(facts)} in a heading.`,
  },
  {
    id: "keyword_in_slug",
    value: (facts) => ifKeyword(facts, facts.keywordIn.slug),
    good: "The slug has the keyword.",
    missing: (facts) => `Use ${keyword(facts)} in the slug.`,
  },
  {
    id: "keyword_density",
    value: (facts) => ifKeyword(facts, facts.wire.keyword_density),
    good: (facts) => `${keyword(facts)} is used often enough, and not too often.`,
    low: (facts) => `Use ${keyword(facts)} more often in the text.`,
    high: (facts) => `Use ${keyword(facts)} less often: the text reads as if made for search engines.`,
  },
  {
    id: "word_count",
    value: (facts) => facts.wordCount,
    good: "The article is long enough to answer a question.",
    low: "Write more: search engines and readers find little in an article this short.",
  },
  {
    id: "slug_length",
    value: (facts) => facts.slugLength,
    good: "The slug is short enough.",
    low: "The slug is short enough.",
    high: "Shorten the slug to its most important words.",
  },
  {
    id: "flesch_reading_ease",
    value: (facts) => facts.wire.flesch_reading_ease,
    good: "The text is easy enough to read.",
    low: "Use shorter sentences and more common words.",
  },
  {
    id: "sentence_length",
    value: (facts) => facts.wire.average_sentence_words || null,
    good: "The sentences have a good length.",
    low: "The sentences have a good length.",
    high: "Split long sentences.",
  },
  {
    id: "long_paragraphs",
    value: (facts) => percent(facts.longParagraphs, facts.paragraphs),
    good: "No paragraph is too long.",
    low: "No paragraph is too long.",
    high: (facts) => `Split the ${counted(facts.longParagraphs, "paragraph")} with more than 150 words.`,
  },
  {
    id: "heading_levels",
    value: (facts) => facts.skippedLevels,
    good: "The headings follow one another level by level.",
    low: "",
    high: "Do not skip heading levels: an h2 is followed by an h3, not by an h4; the first heading is an h2.",
  },
  {
    id: "subheading_distance",
    value: (facts) => facts.longestStretch,
    good: "No part of the text is too long without a heading.",
    low: "",
    high: (facts) => `Add subheadings: up to ${facts.longestStretch} words stand without one.`,
  },
  {
    id: "h1_in_content",
    value: (facts) => facts.h1,
    good: "The title is the only first-level heading.",
    low: "",
    high: "Make the h1 in the content an h2: the page shows the title as its h1.",
  },
  {
    id: "heading_texts",
    value: (facts) => facts.emptyOrRepeatedHeadings,
    good: "Every heading has a text of its own.",
    low: "",
    high: "Give every heading a text, and no two the same.",
  },
  {
    id: "internal_links",
    value: (facts) => facts.wire.internal_links,
    good: ({ wire: { internal_links: links } }) => `There ${are(links)} ${counted(links, "link")} to this website.`,
    missing: "Link to a related article of this website.",
  },
  {
    id: "external_links",
    value: (facts) => facts.wire.external_links,
    good: ({ wire: { external_links: links } }) => `There ${are(links)} ${counted(links, "link")} to other websites.`,
    missing: "Link to a source on another website.",
  },
  {
    id: "image_presence",
    value: (facts) => facts.wire.images + facts.embeds,
    good: "The article has images or videos.",
    missing: "Add an image to the text.",
  },
  {
    id: "images_without_alt",
    value: (facts) => percent(facts.wire.images_without_alt, facts.wire.images),
    good: "Every image has an alternative text.",
    low: "",
    high: ({ wire }) =>
      `Describe ${counted(wire.images_without_alt, "image")} in an alt attribute (empty where it is decoration).`,
  },
  {
    id: "featured_image",
    value: (facts) => facts.featuredImage,
    good: "A featured image is set.",
    missing: "Set a featured image.",
  },
  {
    id: "featured_image_alt",
    value: (facts) => (facts.featuredImage ? facts.featuredImageAlt : null),
    good: "The featured image has an alternative text.",
    missing: "Describe the featured image in its alternative text.",
  },
];

/** 100 within the good range, 0 at the limit and beyond. */
export function bandScore(value: number, { good, limit }: Band): number {
  if (value >= good[0] && value <= good[1]) return 100;
  const [edge, end] = value < good[0] ? [good[0], limit[0]] : [good[1], limit[1]];
  const share = (end - value) / (end - edge);
  return Math.round((PASS_SCORE - 1) * Math.min(1, Math.max(0, share)));
}

function runBand({ id, good, low, high = low }: BandCheck, value: number | boolean, facts: Facts): QualityCheck {
  const { threshold, ...band } = BANDS[id];
  const score = bandScore(Number(value), band);
  const text = score === 100 ? good : Number(value) < band.good[0] ? low : high;
  return { id, ...grade(score), value, threshold, message: write(text, facts) };
}

function runPresence({ id, good, missing }: PresenceCheck, value: number | boolean, facts: Facts): QualityCheck {
  const isThere = Number(value) > 0;
  const { missing: lowest, threshold } = PRESENCES[id];
  return { id, ...grade(isThere ? 100 : lowest), value, threshold, message: write(isThere ? good : missing, facts) };
}

function grade(score: number): Pick<QualityCheck, "status" | "score"> {
  return { status: score >= PASS_SCORE ? "pass" : score >= WARN_SCORE ? "warn" : "fail", score };
}

const write = (text: Text, facts: Facts): string => (typeof text === "string" ? text : text(facts));

function hasKeyword(facts: Facts): boolean {
  return facts.keyword !== null;
}

function ifKeyword<T>(facts: Facts, value: T): T | null {
  return hasKeyword(facts) ? value : null;
}

function keyword(facts: Facts): string {
  return `“${facts.keyword?.slice(0, 80) ?? ""}”`;
}

function percent(some: number, all: number): number | null {
  return all === 0 ? null : Math.round((100 * some) / all);
}

const are = (count: number): string => (count === 1 ? "is" : "are");

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
