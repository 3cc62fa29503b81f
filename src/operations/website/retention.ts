/**
 * Deletes what is past its retention (docs/operate.md, "What grows"), in batches. A step that fails stops no other; a
 * row that cannot be deleted becomes a dead letter, and is tried again a day later.
 */
import type { Millis } from "../../domain/system/time.ts";
import { SCHEDULE_ORIGIN } from "../../domain/system/audit.ts";
import { MAX_SESSION_AGE_MS, SESSION_IDLE_MS } from "../../domain/people/account.ts";
import { PRESENT_MS } from "../../domain/people/presence.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { listFailures } from "../../store/system/dead-letters.ts";
import {
  deleteArticles,
  findInTrash,
  listTrashBefore,
  type PurgedArticle,
  raisePurgedVersion,
} from "../../store/articles/purging.ts";
import {
  deleteRows,
  getRowKey,
  listRows,
  type RowKey,
  rowsBefore,
  rowsWhere,
  type RowSet,
  withCondition,
} from "../../store/system/delete-in-batches.ts";
import { hasEndpoints } from "../../store/webhooks/endpoints.ts";
import { listWebsites, lockWebsite, raiseContentVersion } from "../../store/system/websites.ts";
import { recordAudit } from "../system/audit.ts";
import { type OnError, setAside, batchThenEach, catchFailure } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";
import { limitArrivals } from "../articles/senders/arrival-retention.ts";
import { removeDeletedAssets } from "../articles/assets/assets.ts";
import { pruneHistory } from "../webhooks/queue-maintenance.ts";
import { DEVICE_IDLE_MS } from "../people/devices.ts";
import { IDEMPOTENCY_KEYS_KEPT_MS } from "../people/idempotency.ts";

interface Retention {
  /** How long articles stay in the trash; null: forever. */
  trashMs: number | null;
  /** Null: forever. */
  auditMs: number | null;
  /** How long arrivals are kept; null: forever. */
  arrivalMs: number | null;
}

/** Small rows per transaction; and articles and bodies of arrivals, each of which may be 10 MB. */
const ROWS_AT_ONCE = 500;
export const LARGE_AT_ONCE = 20;
const COUNTS_KEPT_MS = 90 * DAY_MS;
/** How long an expired email is kept for the process that may be sending it. */
const MAIL_GRACE_MS = DAY_MS;
const TRY_AGAIN_AFTER_MS = DAY_MS;
/** Retention of notifications: of read ones, and of all. */
const NOTIFICATIONS_READ_KEPT_MS = 90 * DAY_MS;
const NOTIFICATIONS_KEPT_MS = 365 * DAY_MS;
/** From their expiry or deletion, as long as histories name guests, access tokens and senders. */
const NAMES_KEPT_MS = 400 * DAY_MS;

const WORKING_COPIES_KEPT_MS = 90 * DAY_MS;
/** A website has at most one in ten seconds. */
const PINGS_KEPT_MS = 7 * DAY_MS;

export type RetentionDeps = Pick<Deps, "store" | "clock" | "newId" | "assetFiles">;

/** @param workKeepMs retention of deliveries, dead letters and finished replays. @returns how many were deleted. */
export async function removeOld(
  deps: RetentionDeps,
  { trashMs, auditMs, arrivalMs }: Retention,
  workKeepMs: number,
  onError: OnError = () => undefined,
): Promise<number> {
  const now = deps.clock();
  const sets: RowSet[] = [
    rowsBefore("sessions", ["id"], "last_seen_at", now - SESSION_IDLE_MS),
    rowsBefore("sessions", ["id"], "created_at", now - MAX_SESSION_AGE_MS),
    rowsBefore("devices", ["id"], "last_used_at", now - DEVICE_IDLE_MS),
    rowsBefore("one_time_links", ["token_hash"], "expires_at", now),
    rowsBefore("email_changes", ["token_hash"], "expires_at", now),
    rowsBefore("preview_tokens", ["hash"], "expires_at", now),
    rowsBefore("idempotency_keys", ["token_id", "key"], "created_at", now - IDEMPOTENCY_KEYS_KEPT_MS),
    rowsBefore("review_links", ["id"], "expires_at", now - NAMES_KEPT_MS),
    rowsBefore("access_tokens", ["id"], "expires_at", now - NAMES_KEPT_MS),
    rowsBefore("working_copies", ["account_id", "id"], "saved_at", now - WORKING_COPIES_KEPT_MS),
    // Left by a process that ended before it had deleted them.
    rowsBefore("presence", ["website_id", "article_id", "account_id", "activity"], "seen_at", now - PRESENT_MS),
    rowsBefore("index_now_pings", ["id"], "at", now - PINGS_KEPT_MS),
    rowsBefore("challenges", ["hash"], "expires_at", now),
    rowsBefore("endpoint_secrets", ["id"], "expires_at", now),
    rowsBefore("mails", ["id"], "expires_at", now - MAIL_GRACE_MS),
    rowsBefore("notifications", ["id"], "at", now - NOTIFICATIONS_KEPT_MS),
    withCondition(rowsBefore("notifications", ["id"], "at", now - NOTIFICATIONS_READ_KEPT_MS), "read_at IS NOT NULL"),
    rowsBefore("key_requests", ["website_id", "hour", "key_id"], "hour", now - COUNTS_KEPT_MS),
    rowsBefore("delivery_counts", ["website_id", "hour", "counted_by"], "hour", now - COUNTS_KEPT_MS),
    rowsBefore("replay_jobs", ["id"], "finished_at", now - workKeepMs),
    rowsBefore("dead_letters", ["kind", "subject_id"], "failed_at", now - workKeepMs),
    ...(arrivalMs === null ? [] : arrivalsBefore(now - arrivalMs)),
    rowsWhere("sender_numbers", ["sender_id", "kind", "number"], `sender_id IN (${GONE_SENDERS})`, now - NAMES_KEPT_MS),
    rowsWhere("senders", ["id"], `id IN (${GONE_SENDERS})`, now - NAMES_KEPT_MS),
    ...(auditMs === null ? [] : [rowsBefore("audit_log", ["id"], "at", now - auditMs)]),
  ];
  const failures = await recentFailures(deps);
  let removed = 0;
  for (const set of sets) {
    await step(`old rows of ${set.table}`, onError, async () => {
      const limit = set.table === "arrival_bodies" ? LARGE_AT_ONCE : ROWS_AT_ONCE;
      removed += (await removeRows(deps, set, failures, onError, { limit })).removed;
    });
  }
  await step("the history of deleted webhooks", onError, async () => {
    // Otherwise the thread that delivers webhooks does it.
    if (!(await deps.store.read(hasEndpoints))) removed += await pruneHistory(deps, now - workKeepMs, onError);
  });
  await step("bodies of arrivals", onError, async () => {
    removed += await limitArrivals(deps);
  });
  await step("the files of deleted pictures", onError, async () => {
    removed += await removeDeletedAssets(deps, onError);
  });
  if (trashMs !== null) {
    for (const { id } of await deps.store.read(listWebsites)) {
      await step(`the trash of website ${id}`, onError, async () => {
        removed += await emptyTrash(deps, id, now - trashMs, failures, onError);
      });
    }
  }
  return removed;
}

/** Those that wait were acknowledged, and not understood yet. */
function arrivalsBefore(before: Millis): RowSet[] {
  const ofOld = "arrival_id IN (SELECT id FROM arrivals WHERE at < ? AND state <> 'waiting')";
  return [
    rowsWhere("arrived_articles", ["arrival_id", "article_id"], ofOld, before),
    rowsWhere("arrival_bodies", ["arrival_id"], ofOld, before),
    withCondition(rowsBefore("arrivals", ["id"], "at", before), "state <> 'waiting'"),
  ];
}

/** Deleted before a time, of which nothing is left that arrived. */
const GONE_SENDERS = `SELECT s.id FROM senders s
  WHERE s.deleted_at < ? AND NOT EXISTS (SELECT 1 FROM arrivals a WHERE a.sender_id = s.id)`;

/** Ids of the dead letters that are not retried today. */
export async function recentFailures({ store, clock }: Pick<Deps, "store" | "clock">): Promise<ReadonlySet<string>> {
  const failures = await store.read((db) => listFailures(db, "removal"));
  const since = clock() - TRY_AGAIN_AFTER_MS;
  return new Set([...failures].filter(([, failedAt]) => failedAt > since).map(([id]) => id));
}

/** @throws what the store throws in an outage. */
async function step(what: string, onError: OnError, work: () => Promise<void>): Promise<void> {
  await catchFailure(work, (error) => {
    onError(error, `${what} could not be deleted; it will be retried`);
    return Promise.resolve();
  });
}

/** Locks the website, if any, for each batch. @returns how many were deleted, and how many cannot be. */
export async function removeRows(
  deps: RetentionDeps,
  set: RowSet,
  failures: ReadonlySet<string>,
  onError: OnError,
  { websiteId = null, limit = ROWS_AT_ONCE }: { websiteId?: string | null; limit?: number } = {},
): Promise<{ removed: number; failed: number }> {
  const idOf = (place: RowKey) => `${set.table} ${getRowKey(set, place).join(" ")}`;
  let removed = 0;
  let failed = 0;
  for (let after: RowKey | null = null; ;) {
    const batch: RowKey[] = await deps.store.read((db) => listRows(db, set, after, limit));
    const tried = batch.filter((place) => !failures.has(idOf(place)));
    failed += batch.length - tried.length;
    await batchThenEach(
      tried,
      async (some) => {
        if (some.length === 0) return;
        removed += await deps.store.write(
          async (db) => {
            if (websiteId !== null) await lockWebsite(db, websiteId);
            return deleteRows(db, set, some);
          },
          { notify: false },
        );
      },
      (place, error) => {
        failed++;
        return cannotRemove(deps, { subjectId: idOf(place), websiteId, error }, onError);
      },
    );
    after = batch.at(-1) ?? after;
    if (batch.length < limit) return { removed, failed };
    await yieldToRequests();
  }
}

export function cannotRemove(
  deps: Pick<Deps, "store" | "clock">,
  what: { subjectId: string; websiteId: string | null; error: unknown },
  onError: OnError,
): Promise<void> {
  return setAside(deps, { kind: "removal", ...what }, `${what.subjectId} cannot be deleted; the others are`, onError);
}

/** Lets requests be served between two batches: on SQLite each batch blocks this thread. */
export function yieldToRequests(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Purges the articles deleted before `before`. No event is sent: receivers were notified of the deletion. */
async function emptyTrash(
  deps: RetentionDeps,
  websiteId: string,
  before: Millis,
  failures: ReadonlySet<string>,
  onError: OnError,
): Promise<number> {
  let purged = 0;
  for (let after = { deletedAt: 0, id: "" }; ;) {
    const batch = await deps.store.read((db) => listTrashBefore(db, websiteId, before, after, LARGE_AT_ONCE));
    await batchThenEach(
      batch.filter(({ id }) => !failures.has(`articles ${id}`)),
      async (some) => {
        purged += await purge(deps, websiteId, before, some);
      },
      ({ id }, error) => cannotRemove(deps, { subjectId: `articles ${id}`, websiteId, error }, onError),
    );
    const last = batch.at(-1);
    if (last === undefined || batch.length < LARGE_AT_ONCE) return purged;
    after = { deletedAt: last.deletedAt ?? 0, id: last.id };
    await yieldToRequests();
  }
}

function purge(
  deps: RetentionDeps,
  websiteId: string,
  before: Millis,
  articles: readonly PurgedArticle[],
): Promise<number> {
  if (articles.length === 0) return Promise.resolve(0);
  return deps.store.write(async (db) => {
    await lockWebsite(db, websiteId);
    const ids = articles.map(({ id }) => id);
    const old = (await findInTrash(db, websiteId, ids)).filter(({ deletedAt }) => (deletedAt ?? before) < before);
    if (old.length === 0) return 0;
    await deleteArticles(
      db,
      websiteId,
      old.map(({ rowNo }) => rowNo),
    );
    await raisePurgedVersion(db, websiteId, Math.max(...old.map(({ version }) => version)));
    // Cached lists of the trash depend on the content version.
    await raiseContentVersion(db, websiteId);
    for (const { id, title } of old) {
      await recordAudit(db, deps, SCHEDULE_ORIGIN, {
        action: "article.purged",
        targetKind: "article",
        targetId: id,
        websiteId,
        detail: { title },
      });
    }
    return old.length;
  });
}
