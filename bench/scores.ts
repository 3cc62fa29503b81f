/**
 * How the scores of real articles are spread, and the points of `CALIBRATION` (content/limits.ts) that would spread them as
 * documented. Takes what `rostrum import` reads: files and folders of articles, each a row of its own.
 *
 * `node bench/scores.ts PATH…`
 */
import { detectLanguage } from "../src/content-processes/language.ts";
import { parseMetrics } from "../src/domain/articles/article.ts";
import { BLANK_SOURCE, type ContentSource } from "../src/domain/articles/content/content-source.ts";
import { deriveContent } from "../src/domain/articles/content/content.ts";
import type { Curve } from "../src/domain/articles/content/limits.ts";
import { DIMENSIONS, meanOfDimensions, scoreDimensions } from "../src/domain/articles/content/measure/scores.ts";
import { readImport } from "../src/importers/import-source.ts";

/** By the part of the articles below it, the score of an article. */
const TARGETS = [
  [0.02, 35],
  [0.1, 47],
  [0.5, 65],
  [0.9, 84],
] as const;

const PARTS = [0.02, 0.1, 0.5, 0.9, 0.98];

interface Scored {
  overall: number;
  /** Of the dimensions, before `CALIBRATION`. */
  mean: number;
  dimensions: Partial<Record<string, number>>;
}

const all: Scored[] = [];
for (const path of process.argv.slice(2)) {
  const scored: Scored[] = [];
  const options = { format: "auto", websiteUrl: "https://example.com" } as const;
  for await (const item of readImport(path, options)) {
    if (item.kind !== "draft" || item.input.title === undefined) continue;
    const { title, content: html, markdown, metaDescription, targetKeyword, seoKeywords } = item.input;
    const { featuredImageUrl, featuredImageAlt } = item.input;
    scored.push(
      score({
        ...BLANK_SOURCE,
        title,
        ...(html === undefined ? {} : { html }),
        ...(markdown === undefined ? {} : { markdown }),
        metaDescription: metaDescription ?? null,
        targetKeyword: targetKeyword ?? null,
        seoKeywords: seoKeywords ?? [],
        featuredImageUrl: featuredImageUrl ?? null,
        featuredImageAlt: featuredImageAlt ?? null,
        isImported: true,
      }),
    );
  }
  all.push(...scored);
  print(path, scored);
}
if (all.length > 0) {
  const means = all.map(({ mean }) => mean);
  print("all", all);
  const points = TARGETS.map(([part, target]) => [round(quantile(means, part)), target] as const);
  const curve: Curve = [[0, 0], ...points, [100, 100]];
  process.stdout.write(`fit: ${JSON.stringify(curve)}\n`);
}

function score(source: ContentSource): Scored {
  const metrics = parseMetrics(deriveContent(source, { clock: Date.now, detectLanguage }).metricsJson);
  const dimensions = scoreDimensions(metrics.checks);
  const known = DIMENSIONS.flatMap((name) => (dimensions[name] === null ? [] : [[name, dimensions[name]] as const]));
  return {
    overall: metrics.overall_score,
    mean: meanOfDimensions(dimensions),
    dimensions: Object.fromEntries(known),
  };
}

function print(name: string, scored: readonly Scored[]): void {
  const overall = scored.map((article) => article.overall);
  const means = scored.map(({ mean }) => mean);
  const describe = (values: readonly number[]) => PARTS.map((part) => round(quantile(values, part))).join(" ");
  process.stdout.write(`${name}: ${scored.length} articles; p2 p10 p50 p90 p98\n`);
  process.stdout.write(
    `  overall ${describe(overall)}; p90 − p10: ${quantile(overall, 0.9) - quantile(overall, 0.1)}\n`,
  );
  process.stdout.write(`  mean ${describe(means)}\n`);
  for (const dimension of DIMENSIONS) {
    const values = scored.flatMap((article) => article.dimensions[dimension] ?? []);
    process.stdout.write(`  ${dimension} (${values.length}) ${describe(values)}\n`);
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
