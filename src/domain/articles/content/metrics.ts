import type { Millis, QualityCheck, QualityMetrics } from "../article.ts";
import { type CheckId, runChecks } from "./checks.ts";
import { type Facts, gatherFacts, type MetricsInput } from "./facts.ts";
import { contentHash } from "./hash.ts";
import { BANDS, DIMENSION_WEIGHTS, type Dimension, DIMENSIONS, ENGINE_VERSION, PRESENCES } from "./limits.ts";

/** The metrics of an article, and its word count. */
export function evaluate(material: MetricsInput & { html: string; excerpt: string }, now: Millis) {
  const { source } = material;
  const facts: Facts = gatherFacts(material);
  const checks = runChecks(facts);
  const dimensions = scoreDimensions(checks);
  const metrics: QualityMetrics = {
    overall_score: weightedMean(dimensions),
    dimensions,
    checks,
    facts: facts.wire,
    engine_version: ENGINE_VERSION,
    content_hash: contentHash({
      title: source.title,
      html: material.html,
      excerpt: material.excerpt,
      metaDescription: source.metaDescription,
      featuredImageUrl: source.featuredImageUrl,
      featuredImageAlt: source.featuredImageAlt,
    }),
    evaluated_at: new Date(now).toISOString(),
  };
  return { metrics, wordCount: facts.wordCount };
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
