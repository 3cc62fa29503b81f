import type { QualityCheck } from "../../article.ts";
import type { Facts } from "./facts.ts";
import { type Band, BANDS, PASS_SCORE, PRESENCES, WARN_SCORE } from "../limits.ts";

type BandId = keyof typeof BANDS;
type PresenceId = keyof typeof PRESENCES;
export type CheckId = BandId | PresenceId;

/** A check's value and messages; `null` if the check does not apply to this article and is left out. */
type Measured = { value: number; good: string; low: string; high?: string } | null;

/** Runs every check that applies, in a fixed order. `high` is the advice for a value that can also be too large. */
export function runChecks(facts: Facts): QualityCheck[] {
  const { wire } = facts;
  const hasKeyword = facts.keyword !== null;
  const named = facts.keyword === null ? "" : `“${facts.keyword.slice(0, 80)}”`;
  const checks: (QualityCheck | null)[] = [
    measure("title_length", {
      value: facts.titleWidth,
      good: "The title has a good length.",
      low: "Write a longer title: results pages have room for about 60 characters.",
      high: "Shorten the title: results pages cut it after about 60 characters.",
    }),
    measure("meta_description_length", {
      value: facts.metaDescriptionWidth,
      good: "The meta description has a good length.",
      low:
        facts.metaDescriptionWidth === 0
          ? "Write a meta description: it is what people read in results pages."
          : "Write a longer meta description: there is room for about 160 characters.",
      high: "Shorten the meta description: results pages cut it after about 160 characters.",
    }),
    presenceCheck(
      "target_keyword",
      hasKeyword,
      `The target keyword is ${named}.`,
      "Set a target keyword to check the text for.",
    ),
    hasKeyword
      ? presenceCheck(
          "keyword_in_title",
          facts.keywordIn.title,
          "The title has the keyword.",
          `Use ${named} in the title.`,
        )
      : null,
    hasKeyword
      ? presenceCheck(
          "keyword_in_meta_description",
          facts.keywordIn.metaDescription,
          "The meta description has the keyword.",
          `Use ${named} in the meta description.`,
        )
      : null,
    hasKeyword
      ? presenceCheck(
          "keyword_in_first_paragraph",
          facts.keywordIn.firstParagraph,
          "The first paragraph has the keyword.",
          `Use ${named} in the first paragraph.`,
        )
      : null,
    hasKeyword
      ? presenceCheck(
          "keyword_in_headings",
          facts.keywordIn.headings,
          "A heading has the keyword.",
          `Use ${named} in a heading.`,
        )
      : null,
    hasKeyword
      ? presenceCheck("keyword_in_slug", facts.keywordIn.slug, "The slug has the keyword.", `Use ${named} in the slug.`)
      : null,
    measure(
      "keyword_density",
      hasKeyword
        ? {
            value: wire.keyword_density,
            good: `${named} is used often enough, and not too often.`,
            low: `Use ${named} more often in the text.`,
            high: `Use ${named} less often: the text reads as if made for search engines.`,
          }
        : null,
    ),
    measure("word_count", {
      value: facts.wordCount,
      good: "The article is long enough to answer a question.",
      low: "Write more: search engines and readers find little in an article this short.",
    }),
    measure("slug_length", {
      value: facts.slugLength,
      good: "The slug is short enough.",
      low: "The slug is short enough.",
      high: "Shorten the slug to its most important words.",
    }),
    measure(
      "flesch_reading_ease",
      wire.flesch_reading_ease === null
        ? null
        : {
            value: wire.flesch_reading_ease,
            good: "The text is easy enough to read.",
            low: "Use shorter sentences and more common words.",
          },
    ),
    measure(
      "sentence_length",
      wire.average_sentence_words === 0
        ? null
        : {
            value: wire.average_sentence_words,
            good: "The sentences have a good length.",
            low: "The sentences have a good length.",
            high: "Split long sentences.",
          },
    ),
    measure(
      "long_paragraphs",
      facts.paragraphs === 0
        ? null
        : {
            value: Math.round((100 * facts.longParagraphs) / facts.paragraphs),
            good: "No paragraph is too long.",
            low: "No paragraph is too long.",
            high: `Split the ${counted(facts.longParagraphs, "paragraph")} with more than 150 words.`,
          },
    ),
    measure("heading_levels", {
      value: facts.skippedLevels,
      good: "The headings follow one another level by level.",
      low: "",
      high: "Do not skip heading levels: an h2 is followed by an h3, not by an h4; the first heading is an h2.",
    }),
    measure("subheading_distance", {
      value: facts.longestStretch,
      good: "No part of the text is too long without a heading.",
      low: "",
      high: `Add subheadings: up to ${facts.longestStretch} words stand without one.`,
    }),
    measure("h1_in_content", {
      value: facts.h1,
      good: "The title is the only first-level heading.",
      low: "",
      high: "Make the h1 in the content an h2: the page shows the title as its h1.",
    }),
    measure("heading_texts", {
      value: facts.emptyOrRepeatedHeadings,
      good: "Every heading has a text of its own.",
      low: "",
      high: "Give every heading a text, and no two the same.",
    }),
    presenceCheck(
      "internal_links",
      wire.internal_links > 0,
      `There ${wire.internal_links === 1 ? "is" : "are"} ${counted(wire.internal_links, "link")} to this website.`,
      "Link to a related article of this website.",
      wire.internal_links,
    ),
    presenceCheck(
      "external_links",
      wire.external_links > 0,
      `There ${wire.external_links === 1 ? "is" : "are"} ${counted(wire.external_links, "link")} to other websites.`,
      "Link to a source on another website.",
      wire.external_links,
    ),
    presenceCheck(
      "image_presence",
      wire.images + facts.embeds > 0,
      "The article has images or videos.",
      "Add an image to the text.",
      wire.images + facts.embeds,
    ),
    measure(
      "images_without_alt",
      wire.images === 0
        ? null
        : {
            value: Math.round((100 * wire.images_without_alt) / wire.images),
            good: "Every image has an alternative text.",
            low: "",
            high: `Describe ${counted(wire.images_without_alt, "image")} in an alt attribute (empty where it is decoration).`,
          },
    ),
    presenceCheck("featured_image", facts.featuredImage, "A featured image is set.", "Set a featured image."),
    facts.featuredImage
      ? presenceCheck(
          "featured_image_alt",
          facts.featuredImageAlt,
          "The featured image has an alternative text.",
          "Describe the featured image in its alternative text.",
        )
      : null,
  ];
  return checks.filter((check) => check !== null);
}

/** 100 within the good range, 0 at the limit and beyond. */
export function bandScore(value: number, { good, limit }: Band): number {
  if (value >= good[0] && value <= good[1]) return 100;
  const [edge, end] = value < good[0] ? [good[0], limit[0]] : [good[1], limit[1]];
  const share = (end - value) / (end - edge);
  return Math.round((PASS_SCORE - 1) * Math.min(1, Math.max(0, share)));
}

function measure(id: BandId, measured: Measured): QualityCheck | null {
  if (measured === null) return null;
  const { value, good, low, high } = measured;
  const score = bandScore(value, BANDS[id]);
  const advice = value < BANDS[id].good[0] ? low : (high ?? low);
  return toCheck(id, score, value, BANDS[id].threshold, score === 100 ? good : advice);
}

function presenceCheck(id: PresenceId, there: boolean, good: string, advice: string, value: number | boolean = there) {
  return toCheck(id, there ? 100 : PRESENCES[id].missing, value, PRESENCES[id].threshold, there ? good : advice);
}

function toCheck(
  id: CheckId,
  score: number,
  value: number | boolean,
  threshold: string,
  message: string,
): QualityCheck {
  const status = score >= PASS_SCORE ? "pass" : score >= WARN_SCORE ? "warn" : "fail";
  return { id, status, score, value, threshold, message };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
