/**
 * Curves and weights of the quality checks; docs/quality-metrics.md explains them to users. Changing a number here
 * changes scores, so it changes `ENGINE_VERSION` too. So does a change of what is derived from a text, as the sanitised
 * HTML: an edit that leaves the text alone keeps what the same version derived (`findKnown` in composition.ts).
 */
export const ENGINE_VERSION = "2.0.0";

/** The dimensions with their weights in `overall_score`; they add up to 100. */
export const DIMENSION_WEIGHTS = {
  seo: 14,
  readability: 24,
  structure: 18,
  links: 8,
  images: 8,
  evidence: 16,
  originality: 12,
} as const;
export type Dimension = keyof typeof DIMENSION_WEIGHTS;

/** A check is `pass` from the first score on, `warn` from the second, and `fail` below. */
export const PASS_SCORE = 80;
export const WARN_SCORE = 40;

/** Points of value and score, in the order of the values: between two the score is linear, beyond the ends it is theirs. */
export type Curve = readonly (readonly [value: number, score: number])[];

/** In the order of `checks`. */
export const CHECKS = {
  /** In characters; full-width ones count twice, as they do on a page of search results. */
  title_length: check("seo", 25, "25–65 characters", [
    [5, 0],
    [15, 60],
    [25, 100],
    [65, 100],
    [100, 20],
  ]),
  /** Percent of the title's words that the text has, too. */
  title_words: check("seo", 25, "at least 80 % of the title's words are in the text", [
    [0, 0],
    [50, 70],
    [80, 100],
  ]),
  meta_description_length: check("seo", 30, "90–165 characters", [
    [0, 0],
    [20, 20],
    [70, 90],
    [90, 100],
    [165, 100],
    [260, 30],
  ]),
  keyword_in_title: check("seo", 15, "the title has the keyword", present(30)),
  keyword_in_text: check("seo", 10, "the text has the keyword", present(20)),
  slug_length: check("seo", 5, "at most 75 characters", [
    [75, 100],
    [120, 0],
  ]),
  flesch_reading_ease: check("readability", 30, "60 or more of 100", [
    [10, 5],
    [30, 40],
    [45, 70],
    [60, 100],
  ]),
  sentence_length: check("readability", 25, "9–18 words on average", [
    [5, 60],
    [9, 100],
    [18, 100],
    [24, 55],
    [32, 5],
  ]),
  /** Percent of the sentences that have more than `LONG_SENTENCE_WORDS`. */
  long_sentences: check("readability", 20, "at most 3 % of the sentences have more than 30 words", [
    [3, 100],
    [12, 70],
    [30, 15],
    [50, 0],
  ]),
  /** Standard deviation in percent of the mean. */
  sentence_variety: check("readability", 10, "sentence lengths vary by 50 % or more", [
    [20, 10],
    [40, 80],
    [50, 100],
  ]),
  /** Percent of the sentences that are the third in a row with the same first word. */
  repeated_starts: check("readability", 5, "no three sentences in a row begin with the same word", [
    [0, 100],
    [5, 60],
    [20, 0],
  ]),
  /** Percent of the paragraphs that have more than `LONG_PARAGRAPH_WORDS`. */
  long_paragraphs: check("readability", 10, "no paragraph has more than 120 words", [
    [0, 100],
    [15, 60],
    [50, 0],
  ]),
  word_count: check("structure", 25, "600 words or more", [
    [40, 0],
    [120, 40],
    [300, 75],
    [600, 100],
  ]),
  first_paragraph: check("structure", 25, "15–80 words", [
    [3, 20],
    [15, 100],
    [80, 100],
    [160, 30],
  ]),
  /** The longest run of words without a heading. */
  subheading_distance: check("structure", 45, "a subheading at least every 250 words", [
    [250, 100],
    [400, 75],
    [700, 30],
    [1100, 0],
  ]),
  heading_levels: check("structure", 15, "no level skipped", [
    [0, 100],
    [1, 60],
    [4, 0],
  ]),
  /** The title is the page's only `<h1>`. */
  h1_in_content: check("structure", 10, "none: the title is the only h1", [
    [0, 100],
    [1, 50],
    [2, 0],
  ]),
  heading_texts: check("structure", 10, "no empty heading", [
    [0, 100],
    [1, 50],
    [2, 0],
  ]),
  /** Per 1,000 words; a shorter text than 250 words counts as 250. */
  external_links: check("links", 70, "5–40 links to other websites per 1,000 words", [
    [0, 15],
    [2, 70],
    [5, 100],
    [40, 100],
    [90, 50],
  ]),
  /** Asked only where the website has an article to link to. */
  internal_links: check("links", 30, "a link to another article of the website", [
    [0, 30],
    [1, 85],
    [2, 100],
  ]),
  /** Percent of the links to other websites that are named “here” or similar. */
  link_texts: check("links", 30, "every link says where it leads", [
    [0, 100],
    [20, 50],
    [50, 0],
  ]),
  /** Images, videos and the like per 1,000 words. */
  image_presence: check("images", 40, "from 500 words on, an image or video every 700 words", [
    [0, 20],
    [0.7, 80],
    [1.5, 100],
  ]),
  /** Percent of the images without an `alt` attribute; an empty one is correct for decoration. */
  images_without_alt: check("images", 35, "every image has an alt attribute", [
    [0, 100],
    [50, 20],
  ]),
  featured_image: check("images", 25, "a featured image is set", present(30)),
  featured_image_alt: check("images", 15, "the featured image has an alternative text", present(20)),
  /** Different names and numbers per 1,000 words of paragraphs and lists; fewer than 200 words count as 200. */
  specifics: check("evidence", 50, "70 or more names and numbers per 1,000 words", [
    [0, 0],
    [15, 50],
    [40, 85],
    [70, 100],
  ]),
  unsourced_claims: check("evidence", 25, "every study that is mentioned has a link", [
    [0, 100],
    [1, 50],
    [4, 0],
  ]),
  /** Percent of the paragraphs with percentages that have no link to another website. */
  unsourced_percentages: check("evidence", 15, "every paragraph with a percentage has a link", [
    [0, 100],
    [100, 35],
  ]),
  /** Percent of the sequences of four words that are different ones. */
  distinct_phrases: check("originality", 60, "99 % of the phrases occur once", [
    [60, 0],
    [85, 50],
    [95, 85],
    [99, 100],
  ]),
  /** Per 1,000 words; fewer count as 1,000. */
  stock_phrases: check("originality", 25, "at most 2 per 1,000 words", [
    [2, 100],
    [4, 60],
    [8, 0],
  ]),
} as const satisfies Record<string, CheckLimit>;
export type CheckId = keyof typeof CHECKS;

/** `overall_score` by the mean of the dimensions: fitted once, by bench/scores.ts, on the posts of two real blogs. */
export const CALIBRATION: Curve = [
  [0, 0],
  [70.4, 35],
  [77.5, 47],
  [87.7, 65],
  [93.4, 84],
  [100, 100],
];

/** What a finding of integrity does to `overall_score`. */
export const INTEGRITY_LIMITS = {
  /** Points for each kind that only warns. */
  warning: 3,
  /** If a kind blocks, the score is this share of what it would be, and at most `maxBlocked`. */
  blockedShare: 0.3,
  maxBlocked: 25,
  /** Points for each further kind that blocks. */
  furtherBlock: 5,
} as const;

/** An article of fewer words has at most this score. */
export const SHORT_ARTICLE = { words: 80, maxScore: 45 } as const;

export const LONG_SENTENCE_WORDS = 30;
export const LONG_PARAGRAPH_WORDS = 120;

interface CheckLimit {
  dimension: Dimension;
  /** Within the dimension. */
  weight: number;
  threshold: string;
  curve: Curve;
}

function check(dimension: Dimension, weight: number, threshold: string, curve: Curve): CheckLimit {
  return { dimension, weight, threshold, curve };
}

/** For what is there or not. */
function present(missing: number): Curve {
  return [
    [0, missing],
    [1, 100],
  ];
}
