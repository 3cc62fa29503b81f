import type { Integrity } from "../../findings.ts";
import { collectStats } from "../html/text.ts";
import { sanitiseHtml } from "../html/sanitise.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import { findProblems } from "./find-problems.ts";
import { type Collected, type Material, toMaterial } from "./material.ts";
import { Report, type Rule } from "./report.ts";

type Given = Partial<Omit<Collected, "stats">>;

/** Markdown, or HTML by `html`. */
export function materialOf(markdown: string, given: Given = {}): Material {
  const html = given.html ?? renderMarkdown(markdown).html;
  return toMaterial({
    title: "A title",
    metaDescription: null,
    ...(given.html === undefined ? { markdown } : {}),
    language: null,
    isMachineWritten: false,
    detectedLanguage: null,
    detectLanguage: () => null,
    ...given,
    stats: collectStats(sanitiseHtml(html).tree),
  });
}

export function integrityOf(markdown: string, given?: Given): Integrity {
  return findProblems(materialOf(markdown, given));
}

/** What one rule finds, as `kind severity` with the quote. */
export function foundBy(rule: Rule, markdown: string, given?: Given): string[] {
  const report = new Report();
  rule(materialOf(markdown, given), report);
  return report.finish().findings.map(({ kind, severity, quote }) => `${kind} ${severity}: ${quote}`);
}
