/** The gate, in the transactions that approve, publish and schedule. */
import { type FullArticle, parseMetrics, type QualityMetrics } from "../../../domain/articles/article.ts";
import type { Finding } from "../../../domain/articles/findings.ts";
import { HeldByFindings, isGated, listBlocking } from "../../../domain/articles/integrity-gate.ts";
import type { Website } from "../../../domain/system/website.ts";
import { listOverrides, type Override } from "../../../store/articles/quality/finding-overrides.ts";
import { findRechecked } from "../../../store/articles/quality/findings.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";
import { type Alike, listAlike, toFinding } from "../review/alike.ts";

type Gated = Pick<Website, "integrityGate" | "seriesLabels" | "language">;

export interface Gate {
  /** Those that hold the article: without those that were accepted. */
  held: Finding[];
  overridden: Override[];
}

const OPEN: Gate = { held: [], overridden: [] };

/** @param alike its near duplicates, if they are known already. */
export async function loadGate(db: Snapshot, website: Gated, full: StoredFull, alike?: Alike[]): Promise<Gate> {
  const { article, body } = full;
  if (!isGated(website.integrityGate, article, body)) return OPEN;
  const metrics = await loadMetrics(db, full);
  const blocking = [...listBlocking(metrics), ...findDuplicates(alike ?? (await listAlike(db, website, full)))];
  if (blocking.length === 0) return OPEN;
  const overridden = await listOverrides(db, article.rowNo, metrics.content_hash);
  const accepted = new Set(overridden.map(({ kind }) => kind));
  return { held: blocking.filter(({ kind }) => !accepted.has(kind)), overridden };
}

export function findDuplicates(alike: readonly Alike[]): Finding[] {
  return alike.filter(({ blocks }) => blocks).map(toFinding);
}

/** By the later engine, if the text was checked again. */
export async function loadMetrics(db: Snapshot, { article, body }: StoredFull): Promise<QualityMetrics> {
  return parseMetrics((await findRechecked(db, article.rowNo)) ?? body.metricsJson);
}

/** @throws HeldByFindings. */
export async function assertNotHeld(db: Snapshot, website: Gated, full: StoredFull): Promise<void> {
  const { held } = await loadGate(db, website, full);
  if (held.length > 0) throw new HeldByFindings(held);
}

/** Whether a new article stays in review, whatever status it comes with: at `machine`, people bring none that is held. */
export function holdsNew({ integrityGate }: Pick<Website, "integrityGate">, metricsJson: string): boolean {
  return integrityGate === "all" && listBlocking(parseMetrics(metricsJson)).length > 0;
}

/**
 * As `holdsNew`, for an edit, which would approve what it makes of the article. One that is published is not asked about
 * what it had before. @throws HeldByFindings if readers would see more than that.
 */
export async function holdsEdit(
  db: Snapshot,
  website: Gated,
  before: StoredFull,
  { body }: Pick<FullArticle, "body">,
  isImport: boolean,
): Promise<boolean> {
  const { rowNo, status } = before.article;
  const isAsked = isImport ? website.integrityGate === "all" : status !== "pending";
  if (!isAsked || !isGated(website.integrityGate, before.article, body)) return false;
  const metrics = parseMetrics(body.metricsJson);
  const blocking = listBlocking(metrics);
  if (blocking.length === 0) return false;
  const known = new Set((await listOverrides(db, rowNo, metrics.content_hash)).map(({ kind }) => kind));
  if (status === "published") for (const { kind } of listBlocking(await loadMetrics(db, before))) known.add(kind);
  const held = blocking.filter(({ kind }) => !known.has(kind));
  if (held.length > 0 && status === "published") throw new HeldByFindings(held);
  return held.length > 0;
}
