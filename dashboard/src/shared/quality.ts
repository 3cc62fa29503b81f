type QualityLevel = "good" | "fair" | "poor";

/** The service's thresholds: checks pass from 80 and fail below 40; the same for whole scores, 0 to 100. */
export function qualityLevel(score: number): QualityLevel {
  if (score >= 80) return "good";
  return score >= 40 ? "fair" : "poor";
}
