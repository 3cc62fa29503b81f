import type { QualityCheck } from "../../article.ts";
import type { Integrity } from "../../findings.ts";
import {
  CALIBRATION,
  type CheckId,
  CHECKS,
  type Curve,
  type Dimension,
  DIMENSION_WEIGHTS,
  INTEGRITY_LIMITS,
  SHORT_ARTICLE,
} from "../limits.ts";

export const DIMENSIONS = Object.keys(DIMENSION_WEIGHTS) as Dimension[];

/** null: no check of the dimension applies to the article. */
export type DimensionScores = Record<Dimension, number | null>;

/** The weighted mean of each dimension's checks. */
export function scoreDimensions(checks: readonly Pick<QualityCheck, "id" | "score">[]): DimensionScores {
  const scored = checks.map(({ id, score }) => ({ score, ...CHECKS[id as CheckId] }));
  const score = (dimension: Dimension): number | null => {
    const mean = weightedMean(scored.filter((check) => check.dimension === dimension));
    return mean === null ? null : Math.round(mean);
  };
  return {
    seo: score("seo"),
    readability: score("readability"),
    structure: score("structure"),
    links: score("links"),
    images: score("images"),
    evidence: score("evidence"),
    originality: score("originality"),
  };
}

/** The weighted mean of the dimensions, before it is spread by `CALIBRATION`. */
export function meanOfDimensions(dimensions: DimensionScores): number {
  const scored = DIMENSIONS.flatMap((dimension) => {
    const score = dimensions[dimension];
    return score === null ? [] : [{ score, weight: DIMENSION_WEIGHTS[dimension] }];
  });
  return weightedMean(scored) ?? 0;
}

export function scoreOverall(dimensions: DimensionScores, wordCount: number, integrity: Integrity): number {
  const { warning, blockedShare, maxBlocked, furtherBlock } = INTEGRITY_LIMITS;
  let score = interpolate(meanOfDimensions(dimensions), CALIBRATION) - warning * integrity.warnings;
  if (wordCount < SHORT_ARTICLE.words) score = Math.min(score, SHORT_ARTICLE.maxScore);
  if (integrity.blocking > 0) {
    score = Math.min(blockedShare * score, maxBlocked) - furtherBlock * (integrity.blocking - 1);
  }
  return Math.round(Math.min(100, Math.max(0, score)));
}

function weightedMean(scored: readonly { score: number; weight: number }[]): number | null {
  let sum = 0;
  let weights = 0;
  for (const { score, weight } of scored) {
    sum += weight * score;
    weights += weight;
  }
  return weights === 0 ? null : sum / weights;
}

/** The score of a value, not rounded. */
export function interpolate(value: number, curve: Curve): number {
  let [fromValue, fromScore] = curve[0] ?? [0, 0];
  if (value <= fromValue) return fromScore;
  for (const [toValue, toScore] of curve) {
    if (value <= toValue) return fromScore + ((toScore - fromScore) * (value - fromValue)) / (toValue - fromValue);
    [fromValue, fromScore] = [toValue, toScore];
  }
  return fromScore;
}
