/** What a reviewer looks at before approving: findings of the text, articles alike, and what the import could not bring. */
import type { Finding, FindingKind, Integrity } from "../../../../../src/domain/articles/findings.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { nameFinding } from "../../../shared/finding-kinds.ts";
import { describeWarning } from "../../../shared/warning-kinds.ts";

export interface Problem {
  kind: FindingKind;
  name: string;
  /** Whether a finding of this kind would hold the approval, as far as the text is concerned. */
  isBlocking: boolean;
  /** All findings of this kind, in the order of the text. */
  findings: readonly Finding[];
}

/** Groups findings by kind; kinds that block come first. */
export function groupFindings({ findings }: Integrity): Problem[] {
  const groups = Map.groupBy(findings, ({ kind }) => kind);
  const problems = [...groups].map(([kind, ofKind]) => ({
    kind,
    name: nameFinding(kind),
    isBlocking: ofKind.some(({ severity }) => severity === "block"),
    findings: ofKind,
  }));
  return problems.toSorted((one, other) => Number(other.isBlocking) - Number(one.isBlocking));
}

/** What the import, and the sanitiser, recorded with the article: each once, without what is a finding, too. */
export function listImportWarnings({ article }: Pick<ReviewedArticle, "article">): string[] {
  const quotes = article.quality_metrics.integrity.findings.map(({ quote }) => quote);
  const lines = article.pipeline_steps.flatMap(({ metadata }) => {
    const { warnings } = metadata;
    return Array.isArray(warnings) ? warnings.flatMap(describeWarning) : [];
  });
  return [...new Set(lines)].filter((line) => !quotes.some((quote) => quote !== "" && line.endsWith(quote)));
}

/** Where a finding is, if the text does not show it. */
export function describeField({ field }: Pick<Finding, "field">): string | null {
  if (field === "title") return "In the title";
  return field === "meta_description" ? "In the meta description" : null;
}

/** The start of a request for changes. */
export function toRequest({ name, findings }: Problem): string {
  const quotes = findings.filter(({ quote }) => quote !== "").map(({ quote }) => `“${quote}”`);
  const [first] = findings;
  const message = first?.message ?? "";
  return [`${name}: ${message}`, ...new Set(quotes)].join("\n");
}

/** How many entries the panel has. */
export function countProblems(reviewed: ReviewedArticle): number {
  const kinds = new Set(reviewed.article.quality_metrics.integrity.findings.map(({ kind }) => kind)).size;
  return kinds + Number(reviewed.alike.length > 0) + Number(listImportWarnings(reviewed).length > 0);
}
