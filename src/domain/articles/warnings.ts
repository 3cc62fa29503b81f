/** What people are told of an article that arrived, but not whole, or not as its source shows it. */
import type { PipelineStep } from "./article.ts";
import { FINDING_KINDS, type Finding, type FindingKind, listFindings } from "./findings.ts";

/** The kinds, with the heading under which a report lists them. */
export const WARNING_KINDS = {
  words_lost: "Words lost",
  source_markup: "Source markup left as text",
  construct_replaced: "Site-specific elements replaced by their text",
  finding_blocks: "Findings that block",
  element_removed: "Elements removed",
  embed_replaced: "Embeds replaced by a link",
  picture_missing: "Pictures that lead nowhere",
  link_dead: "Links that lead nowhere",
  anchor_dead: "Links to a missing section",
  date_guessed: "Dates guessed",
  state_guessed: "Statuses guessed",
  address_guessed: "Addresses guessed",
  metadata_guessed: "Front matter and labels guessed",
} as const;
export type WarningKind = keyof typeof WARNING_KINDS;

export interface Warning {
  kind: WarningKind;
  /** One line that names the place or the construct, as in `{{< tweet 20 >}}`. */
  detail: string;
  /** Whether the article waits for review because of it, unless it was accepted. Source markup always is. */
  isSevere?: true;
}

/** Those of an article's text, as its own step of sanitising has them. */
export function listStored(steps: readonly Pick<PipelineStep, "name" | "metadata">[]): Warning[] {
  const warnings = steps.find(({ name }) => name === "sanitize")?.metadata?.["warnings"];
  return Array.isArray(warnings) ? (warnings as Warning[]) : [];
}

/** One for each kind of finding that blocks, with its first place. @param told warnings of the text, which may tell one already. */
export function warnOfFindings(metricsJson: string, told: readonly Warning[]): Warning[] {
  const first = new Map<FindingKind, Finding>();
  const isMarkupTold = told.some(({ kind }) => kind === "source_markup");
  for (const finding of listFindings(metricsJson)) {
    const { kind, severity } = finding;
    if (isMarkupTold && (kind === "raw_markup" || kind === "template_code")) continue;
    if (severity === "block" && !first.has(kind)) first.set(kind, finding);
  }
  return Array.from(first.values(), ({ kind, quote }) => ({
    kind: "finding_blocks" as const,
    detail: quote === "" ? FINDING_KINDS[kind] : `${FINDING_KINDS[kind]}: “${quote}”`,
  }));
}

/** The first for which an article waits for review. */
export function findSevere(warnings: readonly Warning[]): Warning | undefined {
  return warnings.find(({ kind, isSevere }) => kind === "source_markup" || isSevere === true);
}

/** Per article and kind; what comes after it is counted. */
const MAX_WARNINGS_PER_KIND = 10;
/** Characters. */
const MAX_DETAIL = 160;

/** Collects an article's warnings: each once, on one line, a few of a kind. */
export class Warnings {
  readonly #byKind = new Map<WarningKind, Map<string, Warning>>();

  /** @param isSevere whether the article is to wait for review because of it. */
  add(kind: WarningKind, detail: string, isSevere = false): void {
    const line = detail.replaceAll(/\s+/g, " ").trim();
    const short = line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL - 1).toWellFormed()}…` : line;
    const details = this.#byKind.get(kind) ?? new Map<string, Warning>();
    this.#byKind.set(kind, details);
    if (details.has(short) || details.size >= MAX_WARNINGS_PER_KIND) return;
    details.set(short, { kind, detail: short, ...(isSevere ? { isSevere } : {}) });
  }

  addAll(warnings: readonly Warning[]): void {
    for (const { kind, detail, isSevere } of warnings) this.add(kind, detail, isSevere);
  }

  /** In the order of the kinds. */
  get list(): Warning[] {
    const kinds = Object.keys(WARNING_KINDS) as WarningKind[];
    return kinds.flatMap((kind) => Array.from(this.#byKind.get(kind)?.values() ?? []));
  }
}
