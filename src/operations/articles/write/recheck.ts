/**
 * Computes the metrics of articles anew that an earlier engine computed. Readers, approvals, versions and ETags stay as
 * they are: the dashboard alone shows the new metrics and findings, until the article is saved next.
 */
import { buildEditedSource } from "../../../domain/articles/composition.ts";
import { ENGINE_VERSION } from "../../../domain/articles/content/limits.ts";
import { type FindingKind, listKinds } from "../../../domain/articles/findings.ts";
import { findArticleByRow, findBody, findSave } from "../../../store/articles/articles.ts";
import {
  type CheckedRow,
  findLastRow,
  findRecheckPosition,
  listChecked,
  replaceFindings,
  replaceRechecked,
  saveRecheckPosition,
} from "../../../store/articles/quality/findings.ts";
import { findWebsite, lockWebsite, raiseReviewVersion } from "../../../store/system/websites.ts";
import type { Snapshot } from "../../../store/store.ts";
import type { Deps } from "../../system/deps.ts";
import { withRelated } from "./edit-article.ts";
import { catchFailure, type OnError } from "../../system/set-aside.ts";

type RecheckDeps = Pick<Deps, "store" | "clock" | "deriveContent">;

/** Articles that are looked at together, of which few or all may be old. */
const BATCH = 20;

export interface RecheckCounts {
  /** Articles that got new metrics. */
  rechecked: number;
  /** Articles that could not be processed: they keep what they have. */
  failed: number;
  /** Articles that got them and have a finding that blocks, by its kind. */
  blocking: Partial<Record<FindingKind, number>>;
}

function emptyCounts(): RecheckCounts {
  return { rechecked: 0, failed: 0, blocking: {} };
}

/** Rechecks the next articles after an upgrade. @returns false when all articles are done. */
export async function continueRecheck(deps: RecheckDeps, onError: OnError): Promise<boolean> {
  const position = await deps.store.read(findRecheckPosition);
  const after = position?.engineVersion === ENGINE_VERSION ? position.after : 0;
  if (after === null) return false;
  const next = await recheckBatch(deps, { after, websiteId: null }, emptyCounts(), onError);
  await deps.store.write((db) => saveRecheckPosition(db, { engineVersion: ENGINE_VERSION, after: next }));
  return next !== null;
}

/** How much of the recheck after an upgrade is done, 0 to 1; null: all. */
export async function findRecheckShare(db: Snapshot): Promise<number | null> {
  const position = await findRecheckPosition(db);
  if (position === undefined) return null;
  const after = position.engineVersion === ENGINE_VERSION ? position.after : 0;
  return after === null ? null : Math.min(1, after / Math.max(1, await findLastRow(db)));
}

/** Rechecks a website, or all. `onBatch` gets the share of the rows that have been looked at, 0 to 1. */
export async function recheckAll(
  deps: RecheckDeps,
  websiteId: string | null,
  onBatch: (share: number, counts: RecheckCounts) => void,
  onError: OnError,
): Promise<RecheckCounts> {
  const counts = emptyCounts();
  const last = await deps.store.read(findLastRow);
  for (let after: number | null = 0; after !== null;) {
    after = await recheckBatch(deps, { after, websiteId }, counts, onError);
    onBatch(after === null ? 1 : Math.min(1, after / Math.max(1, last)), counts);
  }
  return counts;
}

/** @returns the last row that was looked at; null: there are no more. */
async function recheckBatch(
  deps: RecheckDeps,
  where: { after: number; websiteId: string | null },
  counts: RecheckCounts,
  onError: OnError,
): Promise<number | null> {
  const rows = await deps.store.read((db) => listChecked(db, { ...where, limit: BATCH }));
  const changed = new Set<string>();
  for (const row of rows) {
    if (isCurrent(row.metricsJson)) continue;
    await catchFailure(
      async () => {
        const metricsJson = await recheckArticle(deps, row);
        if (metricsJson === undefined) return;
        changed.add(row.websiteId);
        counts.rechecked++;
        for (const [kind, severity] of listKinds(metricsJson)) {
          if (severity === "block") counts.blocking[kind] = (counts.blocking[kind] ?? 0) + 1;
        }
      },
      (error) => {
        counts.failed++;
        onError(error, `article ${row.id} could not be rechecked and keeps its metrics`);
        return Promise.resolve();
      },
    );
  }
  if (changed.size > 0) {
    await deps.store.write(async (db) => {
      for (const websiteId of changed) await raiseReviewVersion(db, websiteId);
    });
  }
  return rows.length < BATCH ? null : (rows.at(-1)?.rowNo ?? null);
}

/** Without parsing: quotation marks in the texts of metrics are escaped. */
function isCurrent(metricsJson: string): boolean {
  return metricsJson.includes(`"engine_version":"${ENGINE_VERSION}"`);
}

/** @returns undefined if it was saved meanwhile, or is no more. */
async function recheckArticle(deps: RecheckDeps, { rowNo, websiteId }: CheckedRow): Promise<string | undefined> {
  const found = await deps.store.read(async (db) => {
    const [article, website] = [await findArticleByRow(db, rowNo), await findWebsite(db, websiteId)];
    return article && website && { full: { article, body: await findBody(db, rowNo) }, website };
  });
  if (found === undefined) return undefined;
  const { full, website } = found;
  const built = buildEditedSource(full, {}, website, full.article.slug);
  const source = await withRelated(deps, websiteId, built, full.article.id);
  const { metricsJson } = await deps.deriveContent(websiteId, source, deps.clock(), true);
  return deps.store.write(async (db) => {
    await lockWebsite(db, websiteId);
    if ((await findSave(db, rowNo))?.version !== full.article.version) return undefined;
    await replaceRechecked(db, full.article, { metricsJson, engineVersion: ENGINE_VERSION });
    await replaceFindings(db, full.article, listKinds(metricsJson));
    return metricsJson;
  });
}
