/** The gate: which findings hold an article's approval and publication (docs/quality-metrics.md, "The gate"). */
import { type Article, type ArticleBody, isMachineWritten } from "./article.ts";
import { type Finding, FINDING_KINDS, type FindingKind, type Integrity, SOUND } from "./findings.ts";
import type { IntegrityGate } from "../system/website.ts";
import { AppError } from "../system/errors.ts";

/** Whether the website holds articles like it at all. */
export function isGated(
  gate: IntegrityGate,
  { origin }: Pick<Article, "origin">,
  body: Pick<ArticleBody, "suppliedSteps">,
): boolean {
  return gate === "all" || (gate === "machine" && isMachineWritten(origin, body.suppliedSteps));
}

/** Of metrics by an engine before 2.0.0: none. */
export function listBlocking({ integrity }: { integrity?: Integrity }): Finding[] {
  return (integrity ?? SOUND).findings.filter(({ severity }) => severity === "block");
}

/** Each kind once, in the order of the findings. */
export function distinctKinds(findings: readonly Pick<Finding, "kind">[]): FindingKind[] {
  return [...new Set(findings.map(({ kind }) => kind))];
}

export const MIN_OVERRIDE_REASON = 10;
export const MAX_OVERRIDE_REASON = 1_000;

/** A finding that a person accepts, with the reason. */
export interface Acceptance {
  kind: FindingKind;
  reason: string;
}

/** @throws AppError `invalid`. */
export function parseAcceptance({ kind, reason }: { kind: string; reason: string }): Acceptance {
  if (!isFindingKind(kind)) {
    throw new AppError("invalid", `There is no kind of finding "${kind}".`, { field: "kind" });
  }
  const said = reason.trim();
  if (said.length < MIN_OVERRIDE_REASON || said.length > MAX_OVERRIDE_REASON || said.includes("\0")) {
    throw new AppError(
      "invalid",
      `Say why "${FINDING_KINDS[kind]}" is acceptable here, in ${MIN_OVERRIDE_REASON} to ${MAX_OVERRIDE_REASON} characters.`,
      { field: "reason" },
    );
  }
  return { kind, reason: said };
}

function isFindingKind(text: string): text is FindingKind {
  return Object.hasOwn(FINDING_KINDS, text);
}

/** The text is held: somebody corrects it, or an approver accepts each kind of finding with a reason. */
export class HeldByFindings extends AppError {
  override readonly facts: { code: "integrity"; findings: readonly Finding[] };

  constructor(findings: readonly Finding[]) {
    const kinds = distinctKinds(findings).map((kind) => describeKind(kind, findings));
    super("conflict", `The text is held by what was found in it: ${kinds.join("; ")}. ${ADVICE}`);
    this.facts = { code: "integrity", findings };
  }
}

const ADVICE = "Correct the text, or let an approver accept each finding with a reason.";

function describeKind(kind: FindingKind, findings: readonly Finding[]): string {
  const quote = findings.find((one) => one.kind === kind)?.quote ?? "";
  return `${FINDING_KINDS[kind]} (${kind})${quote === "" ? "" : `: “${quote}”`}`;
}
