/** What became of all items of an import. */
import type { WarningKind } from "../../../domain/articles/warnings.ts";
import type { ImportedItem } from "./import-items.ts";

interface Told {
  source: string;
  reason: string;
}

export interface ImportSummary {
  created: number;
  updated: number;
  unchanged: number;
  /** Items of which people have to apply or drop changes. */
  held: Told[];
  /** Those that are pending, unless people have published them: their site hides them, or they lost words. */
  hidden: Told[];
  failed: Told[];
  skipped: Told[];
  /** What articles lack of their sources: the first `MAX_WARNINGS`. */
  warnings: { source: string; kind: WarningKind; detail: string }[];
  /** How many there are. */
  warning_counts: Partial<Record<WarningKind, number>>;
  /** How many articles were read in the form of which generator. */
  dialects: Record<string, number>;
}

/** So that an import of any number of articles stays in memory. */
const MAX_WARNINGS = 10_000;

export function emptySummary(): ImportSummary {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    held: [],
    hidden: [],
    failed: [],
    skipped: [],
    warnings: [],
    warning_counts: {},
    dialects: {},
  };
}

export function addOutcome(summary: ImportSummary, item: ImportedItem): void {
  const { source, outcome, reason, warnings, dialect } = item;
  if (outcome === "held" || outcome === "failed" || outcome === "skipped") {
    summary[outcome].push({ source, reason: reason ?? "" });
  } else {
    summary[outcome]++;
    if (reason !== null) summary.hidden.push({ source, reason });
  }
  if (dialect !== undefined) summary.dialects[dialect] = (summary.dialects[dialect] ?? 0) + 1;
  for (const { kind, detail } of warnings) {
    summary.warning_counts[kind] = (summary.warning_counts[kind] ?? 0) + 1;
    if (summary.warnings.length < MAX_WARNINGS) summary.warnings.push({ source, kind, detail });
  }
}
