/** One transaction makes it inaccessible; its rows go in batches, at any later time. The audit log's entries remain. */
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { assertAllowed } from "../../domain/people/permissions.ts";
import type { Website } from "../../domain/system/website.ts";
import { lockPeople } from "../../store/people/accounts.ts";
import { deleteSendersOf } from "../../store/articles/senders/senders.ts";
import { revokeTokens } from "../../store/people/access-tokens.ts";
import { revokeKeys } from "../../store/people/api-keys.ts";
import { listDeliveryNumbers } from "../../store/webhooks/deliveries.ts";
import { deleteEndpoint, listEndpointIds, listEndpoints } from "../../store/webhooks/endpoints.ts";
import { listMembers, listMemberships } from "../../store/people/memberships.ts";
import { deleteArticles, listArticleRows } from "../../store/articles/purging.ts";
import { rowsOfWebsite, type RowSet } from "../../store/system/delete-in-batches.ts";
import type { Snapshot } from "../../store/store.ts";
import {
  countContents,
  type WebsiteContents,
  deleteWebsiteRow,
  listDeletedWebsites,
  loadWebsite,
  lockWebsite,
  markDeleted,
} from "../../store/system/websites.ts";
import { recordAudit } from "../system/audit.ts";
import { type OnError, batchThenEach, catchFailure } from "../system/set-aside.ts";
import { stopReplaying } from "../webhooks/record-attempts.ts";
import type { Deps } from "../system/deps.ts";
import { removeMembership } from "../people/members.ts";
import { pruneEach } from "../webhooks/queue-maintenance.ts";
import {
  LARGE_AT_ONCE,
  yieldToRequests,
  cannotRemove,
  recentFailures,
  removeRows,
  type RetentionDeps,
} from "./retention.ts";
import { removeAssetsOfWebsite } from "../articles/assets/assets.ts";

/** Events per transaction: each may be 10 MB. Deliveries are small. */
const EVENTS_AT_ONCE = 200;
const DELIVERIES_AT_ONCE = 500;

/** The tables to delete a website's rows from, in this order: rows that refer to others come first. */
const TABLES: readonly [table: string, key: readonly string[]][] = [
  ["sender_numbers", ["sender_id", "kind", "number"]],
  ["content_removals", ["website_id", "article_id"]],
  ["replay_jobs", ["id"]],
  ["endpoint_secrets", ["id"]],
  ["endpoints", ["id"]],
  ["key_requests", ["website_id", "hour", "key_id"]],
  ["api_keys", ["id"]],
  ["idempotency_keys", ["token_id", "key"]],
  ["access_tokens", ["id"]],
  ["senders", ["id"]],
  ["delivery_counts", ["website_id", "hour", "counted_by"]],
  ["preview_tokens", ["hash"]],
  ["assets", ["id"]],
  ["review_links", ["id"]],
  ["article_origins", ["website_id", "source"]],
  ["pushed_files", ["website_id", "path"]],
  ["working_copies", ["account_id", "id"]],
  ["presence", ["website_id", "article_id", "account_id", "activity"]],
  ["index_now", ["website_id"]],
  ["index_now_pings", ["id"]],
  ["mails", ["id"]],
  ["notifications", ["id"]],
  ["memberships", ["id"]],
];

/** What the website contains, shown before it is deleted. @throws AppError `not_found`. */
export function readContents(deps: Pick<Deps, "store">, id: string): Promise<WebsiteContents> {
  return deps.store.read(async (db) => {
    await loadWebsite(db, id);
    return countContents(db, id);
  });
}

/** @param name as typed. @throws AppError `not_found`; `invalid` for another name; `forbidden` unless owner of all. */
export function deleteWebsite(deps: RetentionDeps, id: string, name: string, origin: Origin): Promise<Website> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    await lockWebsite(db, id);
    await assertOwner(db, origin);
    const website = await loadWebsite(db, id);
    if (name.trim() !== website.name.trim()) {
      throw new AppError("invalid", `The name of this website is "${website.name}": type it exactly.`, {
        field: "name",
      });
    }
    const now = deps.clock();
    const { articles } = await countContents(db, id);
    await revokeKeys(db, id, now);
    await revokeTokens(db, id, now);
    await deleteSendersOf(db, id, now);
    const endpoints = await listEndpoints(db, id);
    for (const endpoint of endpoints) {
      await stopReplaying(db, endpoint.id, now);
      await deleteEndpoint(db, endpoint.id, now);
    }
    for (const member of await listMembers(db, id)) {
      if (member.websiteId === id) await removeMembership(db, deps, member, origin);
    }
    await markDeleted(db, id, now);
    await recordAudit(db, deps, origin, {
      action: "website.deleted",
      targetKind: "website",
      targetId: id,
      websiteId: id,
      detail: { name: website.name, url: website.url, articles },
    });
    return website;
  });
}

/** Runs in the transaction: the actor's role may have been removed meanwhile. Commands may do anything. */
async function assertOwner(db: Snapshot, { actor }: Origin): Promise<void> {
  if (actor !== "cli") assertAllowed(await listMemberships(db, actor), "website.manage", null);
}

/** Several processes may do so at once: each batch locks the website. @returns how many websites are gone. */
export async function removeDeletedWebsites(deps: RetentionDeps, onError: OnError = () => undefined): Promise<number> {
  let removed = 0;
  const websites = await deps.store.read(listDeletedWebsites);
  if (websites.length === 0) return removed;
  const failures = await recentFailures(deps);
  for (const { id } of websites) {
    await catchFailure(
      async () => {
        if (await removeWebsite(deps, id, failures, onError)) removed++;
      },
      (error) => {
        onError(error, `website ${id} could not be deleted completely; it will be retried`);
        return Promise.resolve();
      },
    );
  }
  return removed;
}

/** A website whose rows are being deleted, by its id or name; undefined if there is none. */
export async function findDeletedWebsite(
  deps: Pick<Deps, "store">,
  idOrName: string,
): Promise<{ id: string; name: string } | undefined> {
  const websites = await deps.store.read(listDeletedWebsites);
  return websites.find(({ id }) => id === idOrName) ?? websites.find(({ name }) => name === idOrName);
}

/** @returns whether it is gone: it remains while a row cannot be deleted. */
async function removeWebsite(
  deps: RetentionDeps,
  id: string,
  failures: ReadonlySet<string>,
  onError: OnError,
): Promise<boolean> {
  let failed = await removeDeliveries(deps, id, onError);
  failed += await removeArticles(deps, id, failures, onError);
  await removeAssetsOfWebsite(deps, id);
  const of = { websiteId: id };
  const events = rowsOfWebsite("events", ["website_id", "sequence"], id);
  failed += (await removeRows(deps, events, failures, onError, { ...of, limit: EVENTS_AT_ONCE })).failed;
  const arrived = rowsOfWebsite("arrived_articles", ["article_id", "arrival_id"], id);
  failed += (await removeRows(deps, arrived, failures, onError, of)).failed;
  const bodies: RowSet = {
    ...rowsOfWebsite("arrival_bodies", ["arrival_id"], id),
    // As in their index.
    order: ["sender_id", "bytes", "arrival_id"],
  };
  failed += (await removeRows(deps, bodies, failures, onError, { ...of, limit: LARGE_AT_ONCE })).failed;
  const arrivals = rowsOfWebsite("arrivals", ["id"], id);
  failed += (await removeRows(deps, arrivals, failures, onError, of)).failed;
  for (const [table, key] of TABLES) {
    failed += (await removeRows(deps, rowsOfWebsite(table, key, id), failures, onError, of)).failed;
  }
  if (deps.store.engine === "postgres") {
    const words = rowsOfWebsite("article_words_vocabulary", ["website_id", "word"], id);
    failed += (await removeRows(deps, words, failures, onError, of)).failed;
  }
  if (failed > 0) return false;
  await deps.store.write(async (db) => {
    await lockWebsite(db, id);
    await deleteWebsiteRow(db, id);
    db.markWebsiteChanged(id);
  });
  return true;
}

/** @returns how many webhooks still have deliveries: some cannot be deleted, or are being recorded. */
async function removeDeliveries(deps: RetentionDeps, websiteId: string, onError: OnError): Promise<number> {
  let failed = 0;
  for (const endpointId of await deps.store.read((db) => listEndpointIds(db, websiteId))) {
    for (let after = 0, count = DELIVERIES_AT_ONCE; count === DELIVERIES_AT_ONCE;) {
      const numbers = await deps.store.read((db) => listDeliveryNumbers(db, endpointId, after, DELIVERIES_AT_ONCE));
      await pruneEach(deps, numbers, onError);
      after = numbers.at(-1) ?? after;
      count = numbers.length;
      await yieldToRequests();
    }
    if ((await deps.store.read((db) => listDeliveryNumbers(db, endpointId, 0, 1))).length > 0) failed++;
  }
  return failed;
}

/** @returns how many cannot be deleted. */
async function removeArticles(
  deps: RetentionDeps,
  websiteId: string,
  failures: ReadonlySet<string>,
  onError: OnError,
): Promise<number> {
  let failed = 0;
  for (let after = { version: 0, rowNo: 0 }; ;) {
    const batch = await deps.store.read((db) => listArticleRows(db, websiteId, after, LARGE_AT_ONCE));
    const tried = batch.map(({ rowNo }) => rowNo).filter((rowNo) => !failures.has(articleRowId(rowNo)));
    failed += batch.length - tried.length;
    await batchThenEach(
      tried,
      async (some) => {
        if (some.length === 0) return;
        await deps.store.write(
          async (db) => {
            await lockWebsite(db, websiteId);
            await deleteArticles(db, websiteId, some);
          },
          { notify: false },
        );
      },
      (rowNo, error) => {
        failed++;
        return cannotRemove(deps, { subjectId: articleRowId(rowNo), websiteId, error }, onError);
      },
    );
    after = batch.at(-1) ?? after;
    if (batch.length < LARGE_AT_ONCE) return failed;
    await yieldToRequests();
  }
}

function articleRowId(rowNo: number): string {
  return `articles row ${rowNo}`;
}
