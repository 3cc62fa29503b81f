import { hash } from "node:crypto";
import type { Integrity } from "../../findings.ts";
import { checkMetaDescription } from "../integrity/find-problems.ts";
import { parseMetrics, type QualityCheck, type QualityMetrics } from "../../article.ts";
import type { Millis } from "../../../system/time.ts";
import { type CheckId, runChecks } from "./checks.ts";
import { type Facts, gatherFacts, type MetricsInput } from "./facts.ts";
import type { ContentSource, KnownContent } from "../content-source.ts";
import { BANDS, DIMENSION_WEIGHTS, type Dimension, DIMENSIONS, ENGINE_VERSION, PRESENCES } from "../limits.ts";

export function evaluate(input: MetricsInput & { html: string; excerpt: string; integrity: Integrity }, now: Millis) {
  const facts: Facts = gatherFacts(input);
  return { metrics: toMetrics(input, runChecks(facts), facts.wire, now), wordCount: facts.wordCount };
}

/** Checks that look at nothing but the meta description, the featured image and the keyword. */
const FIELD_CHECKS: ReadonlySet<string> = new Set<CheckId>([
  "meta_description_length",
  "keyword_in_meta_description",
  "featured_image",
  "featured_image_alt",
]);

/** The metrics after a change to nothing but the meta description and the featured image. */
export function evaluateFields(source: ContentSource, known: KnownContent, now: Millis): QualityMetrics {
  const earlier = parseMetrics(known.metricsJson);
  const facts = gatherFacts({ source, ...NO_TEXT });
  const fresh = new Map(runChecks(facts).map((check) => [check.id, check]));
  const kept = earlier.checks.filter(({ id }) => id !== LAST_CHECK);
  const last = fresh.get(LAST_CHECK);
  const checks = [
    ...kept.map((check) => (FIELD_CHECKS.has(check.id) ? (fresh.get(check.id) ?? check) : check)),
    ...(last === undefined ? [] : [last]),
  ];
  const wire = { ...earlier.facts, meta_description_length: facts.wire.meta_description_length };
  const integrity = checkMetaDescription(source.metaDescription, earlier.integrity);
  return toMetrics({ source, html: known.html, excerpt: known.excerpt, integrity }, checks, wire, now);
}

const NO_TEXT: Omit<MetricsInput, "source"> = {
  stats: { blocks: [], headings: [], pictures: [], anchors: [], embeds: 0 },
  text: "",
  tokens: () => [],
  links: { internal: [], external: [] },
  language: null,
};
/** The only one of FIELD_CHECKS that such a change adds or removes. */
const LAST_CHECK: CheckId = "featured_image_alt";

function toMetrics(
  { source, html, excerpt, integrity }: { source: ContentSource; html: string; excerpt: string; integrity: Integrity },
  checks: QualityCheck[],
  facts: QualityMetrics["facts"],
  now: Millis,
): QualityMetrics {
  const dimensions = scoreDimensions(checks);
  return {
    overall_score: weightedMean(dimensions),
    dimensions,
    checks,
    facts,
    integrity,
    engine_version: ENGINE_VERSION,
    content_hash: contentHash({
      title: source.title,
      html,
      excerpt,
      metaDescription: source.metaDescription,
      featuredImageUrl: source.featuredImageUrl,
      featuredImageAlt: source.featuredImageAlt,
    }),
    evaluated_at: new Date(now).toISOString(),
  };
}

/** Each dimension's score is the weighted mean of the checks that apply. */
function scoreDimensions(checks: readonly QualityCheck[]): Record<Dimension, number> {
  const sums = new Map<Dimension, { score: number; weight: number }>(
    DIMENSIONS.map((dimension) => [dimension, { score: 0, weight: 0 }]),
  );
  for (const { id, score } of checks) {
    const { dimension, weight } = LIMITS[id as CheckId];
    const sum = sums.get(dimension);
    if (sum === undefined) continue;
    sum.score += weight * score;
    sum.weight += weight;
  }
  const mean = (dimension: Dimension): number => {
    const { score, weight } = sums.get(dimension) ?? { score: 0, weight: 0 };
    return weight === 0 ? 0 : Math.round(score / weight);
  };
  return {
    seo: mean("seo"),
    readability: mean("readability"),
    structure: mean("structure"),
    links: mean("links"),
    images: mean("images"),
  };
}

function weightedMean(dimensions: Record<Dimension, number>): number {
  let sum = 0;
  for (const dimension of DIMENSIONS) sum += DIMENSION_WEIGHTS[dimension] * dimensions[dimension];
  return Math.round(sum / 100);
}

const LIMITS = { ...BANDS, ...PRESENCES };

export interface HashedContent {
  title: string;
  html: string;
  excerpt: string | null;
  metaDescription: string | null;
  featuredImageUrl: string | null;
  featuredImageAlt: string | null;
}

/** SHA-256 in hex of a JSON array, since joined strings can be equal where their parts differ. */
export function contentHash(content: HashedContent): string {
  const { title, html, excerpt, metaDescription, featuredImageUrl, featuredImageAlt } = content;
  return hash("sha256", JSON.stringify([title, html, excerpt, metaDescription, featuredImageUrl, featuredImageAlt]));
}
