/** Collects findings: orders them, quotes their places, and leaves out what is too much. */
import {
  type Finding,
  type FindingKind,
  type Fix,
  type Integrity,
  MAX_PER_KIND,
  MAX_QUOTE,
  type Place,
  type Severity,
  SOUND,
} from "../../findings.ts";
import type { Material, Passage } from "./material.ts";

/** Looks for findings of a few kinds. Reads nothing but the material, in time that grows with the text only. */
export type Rule = (material: Material, report: Report) => void;

export interface Found {
  kind: FindingKind;
  severity: Severity;
  /** null: the whole text. */
  passage: Passage | null;
  /** Offsets in the passage's text; without them, all of it. */
  start?: number;
  end?: number;
  /** For what is in the source only, and so has no passage. */
  quote?: string;
  /** One plain sentence. */
  message: string;
  fix?: Fix | undefined;
}

export class Report {
  readonly #findings: Finding[] = [];
  readonly #counts = new Map<FindingKind, number>();

  add({ kind, severity, passage, start = 0, end = passage?.text.length ?? 0, quote, message, fix }: Found): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > MAX_PER_KIND) return;
    this.#findings.push({
      kind,
      severity,
      field: passage?.field ?? "text",
      block: passage?.block ?? null,
      start,
      end,
      quote: toQuote(quote ?? passage?.text.slice(start, end) ?? ""),
      message,
      ...(fix === undefined ? {} : { fix }),
    });
  }

  /** How many findings of this kind there are, also those left out. */
  count(kind: FindingKind): number {
    return this.#counts.get(kind) ?? 0;
  }

  finish(): Integrity {
    return toIntegrity(this.#findings);
  }
}

/** Findings that block come first, then in the order of the text: title, meta description, blocks. */
export function toIntegrity(found: readonly Finding[]): Integrity {
  if (found.length === 0) return SOUND;
  const findings = found.toSorted(
    (a, b) =>
      SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity] ||
      FIELD_ORDER[a.field] - FIELD_ORDER[b.field] ||
      (a.block ?? -1) - (b.block ?? -1) ||
      a.start - b.start,
  );
  const blocking = new Set(findings.flatMap(({ severity, kind }) => (severity === "block" ? [kind] : [])));
  const others = new Set(findings.flatMap(({ kind }) => (blocking.has(kind) ? [] : [kind])));
  return {
    status: blocking.size > 0 ? "fail" : "warn",
    blocking: blocking.size,
    warnings: others.size,
    findings,
  };
}

const SEVERITY_ORDER = { block: 0, warn: 1 };
const FIELD_ORDER = { title: 0, meta_description: 1, text: 2 };

function toQuote(text: string): string {
  return text.length <= MAX_QUOTE ? text : `${text.slice(0, MAX_QUOTE - 1).toWellFormed()}…`;
}

/** A part of a text that a check is about. */
export interface Extract {
  passage: Passage;
  start: number;
  end: number;
}

export function extractText({ passage, start, end }: Extract): string {
  return passage.text.slice(start, end);
}

export function toPlace(extract: Extract): Place {
  const { passage, start, end } = extract;
  return { field: passage.field, block: passage.block, start, end, quote: toQuote(extractText(extract)) };
}
