/**
 * Thresholds and weights of the quality checks; docs/quality-metrics.md explains them to users. Changing a number here
 * changes scores, so it changes `ENGINE_VERSION` too. So does a change of what is derived from a text, as the sanitised
 * HTML: an edit that leaves the text alone keeps what the same version derived (`findKnown` in composition.ts).
 */
export const ENGINE_VERSION = "2.0.0";

export const DIMENSIONS = ["seo", "readability", "structure", "links", "images"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Weights of the dimensions in `overall_score`, which is their weighted mean; they add up to 100. */
export const DIMENSION_WEIGHTS: Readonly<Record<Dimension, number>> = {
  seo: 35,
  readability: 25,
  structure: 15,
  links: 10,
  images: 15,
};

/** A check is `pass` from the first score on, `warn` from the second, and `fail` below. */
export const PASS_SCORE = 80;
export const WARN_SCORE = 40;

/** Within `good` the score is 100; outside it falls linearly from just below `PASS_SCORE` to 0 at the `limit`. */
export interface Band {
  good: readonly [number, number];
  limit: readonly [number, number];
}

/** For presence checks: the score if the thing is missing. */
export interface Presence {
  missing: number;
}

interface CheckLimit {
  dimension: Dimension;
  weight: number;
  threshold: string;
}

const NONE = Infinity;

export const BANDS = {
  /** In characters; full-width ones count twice, as they do on a page of search results. */
  title_length: seo(10, "30–60 characters", [30, 60], [5, 100]),
  meta_description_length: seo(10, "70–160 characters", [70, 160], [0, 240]),
  keyword_density: seo(10, "0.5–2.5 % of the words", [0.5, 2.5], [0, 5]),
  word_count: seo(15, "at least 300 words", [300, NONE], [0, NONE]),
  slug_length: seo(5, "at most 75 characters", [0, 75], [0, 120]),
  flesch_reading_ease: band("readability", 40, "at least 50 of 100", [50, NONE], [10, NONE]),
  sentence_length: band("readability", 35, "at most 20 words on average", [0, 20], [0, 35]),
  /** Percent of the paragraphs that are longer than `LONG_PARAGRAPH_WORDS`. */
  long_paragraphs: band("readability", 25, "no paragraph over 150 words", [0, 0], [0, 50]),
  heading_levels: band("structure", 30, "no level skipped", [0, 0], [0, 4]),
  /** The longest run of words without a heading. */
  subheading_distance: band("structure", 35, "a subheading at least every 300 words", [0, 300], [0, 900]),
  /** The title is the page's only `<h1>`. */
  h1_in_content: band("structure", 15, "none: the title is the only h1", [0, 0], [0, 2]),
  heading_texts: band("structure", 20, "no empty and no repeated heading", [0, 0], [0, 4]),
  /** Percent of the images without an `alt` attribute; an empty one is correct for decoration. */
  images_without_alt: band("images", 35, "every image has an alt attribute", [0, 0], [0, 60]),
} as const satisfies Record<string, Band & CheckLimit>;

export const PRESENCES = {
  target_keyword: present("seo", 5, "a target keyword is set", 40),
  keyword_in_title: present("seo", 15, "the title has the keyword", 0),
  keyword_in_meta_description: present("seo", 8, "the meta description has the keyword", 40),
  keyword_in_first_paragraph: present("seo", 10, "the first paragraph has the keyword", 40),
  keyword_in_headings: present("seo", 7, "a heading has the keyword", 40),
  keyword_in_slug: present("seo", 5, "the slug has the keyword", 40),
  internal_links: present("links", 60, "at least 1 link to this website", 20),
  external_links: present("links", 40, "at least 1 link to another website", 40),
  image_presence: present("images", 20, "at least 1 image or video", 40),
  featured_image: present("images", 25, "a featured image is set", 20),
  featured_image_alt: present("images", 20, "the featured image has an alternative text", 20),
} as const satisfies Record<string, Presence & CheckLimit>;

export const LONG_PARAGRAPH_WORDS = 150;

function band(
  dimension: Dimension,
  weight: number,
  threshold: string,
  good: readonly [number, number],
  limit: readonly [number, number],
): Band & CheckLimit {
  return { dimension, weight, threshold, good, limit };
}

function seo(
  weight: number,
  threshold: string,
  good: readonly [number, number],
  limit: readonly [number, number],
): Band & CheckLimit {
  return band("seo", weight, threshold, good, limit);
}

function present(dimension: Dimension, weight: number, threshold: string, missing: number): Presence & CheckLimit {
  return { dimension, weight, threshold, missing };
}
