import { hash } from "node:crypto";
import { parseMetrics, type QualityCheck, type QualityMetrics } from "../../article.ts";
import type { Integrity } from "../../findings.ts";
import type { Millis } from "../../../system/time.ts";
import { CHECK_IDS, runChecks } from "./checks.ts";
import { type Facts, gatherFacts, type MetricsInput } from "./facts.ts";
import type { ContentSource, KnownContent } from "../content-source.ts";
import { checkMetaDescription } from "../integrity/find-problems.ts";
import { toMaterial } from "../integrity/material.ts";
import { type CheckId, ENGINE_VERSION } from "../limits.ts";
import { scoreDimensions, scoreOverall } from "./scores.ts";

interface EvaluatedArticle extends MetricsInput {
  html: string;
  excerpt: string;
  integrity: Integrity;
}

export function evaluate(article: EvaluatedArticle, now: Millis): { metrics: QualityMetrics; wordCount: number } {
  const facts: Facts = gatherFacts(article);
  const { wire, wordCount } = facts;
  const found = { checks: runChecks(facts), facts: wire, integrity: article.integrity, wordCount };
  return { metrics: toMetrics(article, found, now), wordCount };
}

/** Checks that look at nothing but the meta description and the featured image. */
const FIELD_CHECKS: ReadonlySet<string> = new Set<CheckId>([
  "meta_description_length",
  "featured_image",
  "featured_image_alt",
]);

/** The metrics after a change to nothing but the meta description and the featured image. */
export function evaluateFields(source: ContentSource, known: KnownContent, now: Millis): QualityMetrics {
  const earlier = parseMetrics(known.metricsJson);
  const fresh = gatherFacts({ source, ...NO_TEXT });
  const ofFields = runChecks(fresh).filter(({ id }) => FIELD_CHECKS.has(id));
  const ofText = earlier.checks.filter(({ id }) => !FIELD_CHECKS.has(id));
  const byId = new Map([...ofFields, ...ofText].map((check) => [check.id, check]));
  const checks = CHECK_IDS.flatMap((id) => byId.get(id) ?? []);
  const facts = { ...earlier.facts, meta_description_length: fresh.wire.meta_description_length };
  const integrity = checkMetaDescription(source.metaDescription, earlier.integrity);
  const { html, excerpt, wordCount } = known;
  return toMetrics({ source, html, excerpt }, { checks, facts, integrity, wordCount }, now);
}

const NO_TEXT: Omit<MetricsInput, "source"> = {
  material: toMaterial({
    title: "",
    metaDescription: null,
    language: null,
    isMachineWritten: false,
    stats: { blocks: [], headings: [], pictures: [], anchors: [], embeds: 0 },
    detectedLanguage: null,
    detectLanguage: () => null,
  }),
  text: "",
  tokens: () => [],
  links: { internal: [], external: [] },
  language: null,
};

interface Found {
  checks: QualityCheck[];
  facts: QualityMetrics["facts"];
  integrity: Integrity;
  wordCount: number;
}

function toMetrics(
  { source, html, excerpt }: Pick<EvaluatedArticle, "source" | "html" | "excerpt">,
  { checks, facts, integrity, wordCount }: Found,
  now: Millis,
): QualityMetrics {
  const dimensions = scoreDimensions(checks);
  return {
    overall_score: scoreOverall(dimensions, wordCount, integrity),
    // A dimension in which no check applies counts for nothing.
    dimensions: {
      seo: dimensions.seo ?? 0,
      readability: dimensions.readability ?? 0,
      structure: dimensions.structure ?? 0,
      links: dimensions.links ?? 0,
      images: dimensions.images ?? 0,
      evidence: dimensions.evidence ?? 0,
      originality: dimensions.originality ?? 0,
    },
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
