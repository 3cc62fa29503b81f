/** The service's frequent queries, made by its own functions. */
import { DELIVERY_STATES } from "../../src/domain/webhooks/delivery.ts";
import {
  heldRows,
  labelledRows,
  originRows,
  ownIds,
  stateRows,
  trashRows,
  wordRows,
} from "../../src/store/articles/article-lists.ts";
import {
  claimWaiting,
  countOpenArrivals,
  findStateBefore,
  finishArrival,
  listArrivals,
  wasBroughtSince,
} from "../../src/store/articles/senders/arrivals.ts";
import { findRelatedTitle, listTagNames } from "../../src/store/articles/labels.ts";
import { findSenderAnywhere, touchSender } from "../../src/store/articles/senders/senders.ts";
import { listSent } from "../../src/store/articles/senders/sent-articles.ts";
import { findTokenByHash, touchToken } from "../../src/store/people/access-tokens.ts";
import { findKeyByHash, touchKey } from "../../src/store/people/api-keys.ts";
import {
  findArticleAnywhere,
  findBody,
  findFullArticleAnywhere,
  findNextDue,
  isSlugTaken,
  listArticles,
  listDue,
  newestPublished,
  listTitles,
  findWebsiteId,
} from "../../src/store/articles/articles.ts";
import { findingRows, listChecked } from "../../src/store/articles/quality/findings.ts";
import { findFingerprint, listNear } from "../../src/store/articles/quality/fingerprints.ts";
import { findOrigin, listHeld } from "../../src/store/articles/origins.ts";
import { insertAttempts, listAttempts } from "../../src/store/webhooks/attempts.ts";
import { claim, listWaiting } from "../../src/store/webhooks/claims.ts";
import {
  findDeliveryAnywhere,
  listParked,
  newestDeliveryNo,
  recordProgress,
  pruneDeliveries,
  listDeletedWithHistory,
  listExhausted,
  listForPruning,
  listDeliveryNumbers,
  countMissed,
} from "../../src/store/webhooks/deliveries.ts";
import { listDeliveries } from "../../src/store/webhooks/delivery-history.ts";
import {
  countUnfinished,
  completeAndPromoteNext,
  enqueue,
  lockQueued,
  lockArticleQueues,
  listToPark,
  listUnsent,
  parkWaiting,
  expediteRetries,
  hasLaterEvent,
  markFailing,
  retryAllNow,
  restoreBackoff,
  removeFromQueue,
  retryAt,
} from "../../src/store/webhooks/delivery-queue.ts";
import {
  releaseClaims,
  releaseExpired,
  releaseUnused,
  releaseLeases,
  listHeldClaims,
  scanQueue,
} from "../../src/store/webhooks/leases.ts";
import { findWebsiteOfArticleToChange } from "../../src/store/system/websites.ts";
import { measureLoads } from "../../src/store/webhooks/endpoint-backlog.ts";
import {
  isAwaited,
  listEventsOfUncheckedAge,
  listWithContent,
  removeDeletionExtensions,
} from "../../src/store/webhooks/event-contents.ts";
import { EVENT_KINDS } from "../../src/domain/webhooks/event.ts";
import { eventsSince, findEvent, listEvents } from "../../src/store/webhooks/events.ts";
import {
  changesSince,
  defaultSort,
  findDetail,
  listBySlug,
  listForms,
  matchingRows,
  sortKeys,
  websiteState,
} from "../../src/store/articles/article-queries.ts";
import { listAssets } from "../../src/store/articles/assets.ts";
import { listNotifications } from "../../src/store/people/notifications.ts";
import { listAuditEntries, listTargetEntries } from "../../src/store/system/audit.ts";
import type { Writer } from "../../src/store/store.ts";
import { articleOf, endpointOf, QUEUED, MINHASH } from "./plans-data.ts";

export interface Hot {
  name: string;
  work: (db: Writer, articles: number) => Promise<unknown>;
  /** Each of them is used. */
  indexes: readonly string[];
}

const WISHES = Array.from({ length: 16 }, (_none, index) => ({ endpointId: endpointOf(index + 2), most: 8 }));
const LEASE = { token: "t", until: 1, worker: "worker-0" };
const FIFTY = Array.from({ length: 50 }, (_none, index) => 1 + index * 97);

export const HOT: readonly Hot[] = [
  { name: "a page by row numbers", work: (db) => listForms(db, FIFTY), indexes: ["articles_pkey"] },
  {
    name: "where rows stand in their order",
    work: (db) => sortKeys(db, "published", FIFTY),
    indexes: ["articles_pkey"],
  },
  {
    name: "the order of published articles",
    work: (db) => matchingRows(db, "large", "published", defaultSort("published"), {}),
    indexes: ["articles_by_publication"],
  },
  {
    name: "the order of the others",
    work: (db) => matchingRows(db, "large", "pending", defaultSort("pending"), {}),
    indexes: ["articles_by_creation"],
  },
  {
    name: "a list by a tag",
    work: (db) => matchingRows(db, "large", "published", defaultSort("published"), { tag: "tag-7" }),
    indexes: ["article_labels_pkey"],
  },
  {
    name: "a list by a slug",
    work: (db) => matchingRows(db, "large", "published", defaultSort("published"), { slug: "slug-7" }),
    indexes: ["articles_by_slug_scope"],
  },
  {
    name: "a search",
    work: (db) => matchingRows(db, "large", "published", defaultSort("published"), { words: ["word7", "rare7"] }),
    indexes: ["article_words_by_word"],
  },
  {
    name: "a search by a beginning",
    work: (db) => matchingRows(db, "large", "published", defaultSort("published"), { words: ["rare777*"] }),
    indexes: ["article_words_by_word", "article_words_vocabulary_pkey"],
  },
  {
    name: "the order by last change",
    work: (db) => matchingRows(db, "large", "published", { field: "updated_at", descending: true }, {}),
    indexes: ["articles_by_change"],
  },
  {
    name: "the order by title",
    work: (db) => matchingRows(db, "large", "published", { field: "title", descending: false }, {}),
    indexes: ["articles_by_title", "articles_by_long_title"],
  },
  {
    name: "the trash",
    work: (db) => trashRows(db, "large", { field: "deleted_at", descending: true }),
    indexes: ["articles_in_trash"],
  },
  {
    name: "what waits, by how long, and what was published last",
    work: async (db) => {
      await stateRows(db, "large", { status: "pending", descending: false });
      await stateRows(db, "large", { status: "published", descending: true, limit: 5 });
    },
    indexes: ["articles_by_state"],
  },
  {
    name: "all with a tag",
    work: (db) => labelledRows(db, "large", "tag", "tag-7"),
    indexes: ["article_labels_pkey"],
  },
  {
    name: "all with a finding",
    work: (db) => findingRows(db, "large", "placeholder"),
    indexes: ["article_findings_by_kind"],
  },
  {
    name: "the next articles to recheck",
    work: (db) => listChecked(db, { after: 700, websiteId: null, limit: 20 }),
    indexes: ["article_bodies_pkey", "rechecked_metrics_pkey"],
  },
  {
    name: "all that came in by a machine",
    work: (db) => originRows(db, "large", "api"),
    indexes: ["articles_by_origin"],
  },
  {
    name: "all with a word",
    work: (db) => wordRows(db, "large", ["word7"]),
    indexes: ["article_words_by_word"],
  },
  {
    name: "which articles are the website's",
    work: (db) => ownIds(db, "large", [articleOf(7), articleOf(8)]),
    indexes: ["articles_id_key"],
  },
  {
    name: "what has changed since",
    work: (db, all) => changesSince(db, "large", all - 5, 5_001),
    indexes: ["articles_by_version"],
  },
  {
    name: "an article's detail",
    work: (db) => findDetail(db, "large", articleOf(7)),
    indexes: ["articles_id_key", "article_bodies_pkey"],
  },
  { name: "where a website stands", work: (db) => websiteState(db, "large"), indexes: [] },
  { name: "a key", work: (db) => findKeyByHash(db, "x"), indexes: ["api_keys_hash_key"] },
  { name: "that a key was used", work: (db) => touchKey(db, "key-7", 1), indexes: ["api_keys_pkey"] },
  { name: "an access token", work: (db) => findTokenByHash(db, "x"), indexes: ["access_tokens_hash_key"] },
  { name: "that a token was used", work: (db) => touchToken(db, "token-7", 1), indexes: ["access_tokens_pkey"] },
  {
    name: "a sender, and that it sent something",
    work: async (db) => {
      await findSenderAnywhere(db, "sender-7");
      await touchSender(db, "sender-7", 1);
    },
    indexes: ["senders_pkey"],
  },
  {
    name: "what a sender has sent",
    work: (db) => listArrivals(db, "sender-7", { state: null, before: { at: 5_007, id: "arrival-5007" }, limit: 51 }),
    indexes: ["arrivals_by_sender"],
  },
  {
    name: "the posts that a sender has brought",
    work: (db) =>
      listSent(
        db,
        { id: "7", websiteId: "large" },
        { slug: "article-7", title: null, isPublished: false },
        { limit: 15, offset: 0 },
      ),
    indexes: ["article_origins_pkey"],
  },
  {
    name: "the tags that a sender may choose from",
    work: (db) => listTagNames(db, "large", 100),
    indexes: ["article_labels_pkey"],
  },
  {
    name: "what needs attention, and how much of it there is",
    work: async (db) => {
      await listArrivals(db, "sender-7", { state: "needs_attention", before: null, limit: 51 });
      await countOpenArrivals(db, "sender-7");
    },
    indexes: ["arrivals_by_state"],
  },
  {
    name: "arrivals that a crash left",
    work: (db, all) => claimWaiting(db, all, all + 1, 10),
    indexes: ["arrivals_waiting"],
  },
  {
    name: "whether the arrival before this one needed attention",
    work: (db) => findStateBefore(db, { senderId: "sender-7", at: 5_007, id: "arrival-5007" }),
    indexes: ["arrivals_by_sender"],
  },
  {
    name: "whether a later arrival has brought an article",
    work: (db) => wasBroughtSince(db, articleOf(7), { senderId: "sender-7", at: 7, id: "arrival-7" }),
    indexes: ["arrived_articles_pkey"],
  },
  {
    name: "what became of an arrival",
    work: (db) =>
      finishArrival(db, { id: "arrival-7", websiteId: "large" }, "stored", {
        kind: "article",
        event: null,
        problem: null,
        articles: [],
      }),
    indexes: ["arrivals_pkey"],
  },
  {
    name: "the articles of a slug",
    work: (db) => listBySlug(db, "large", "slug-7", "de"),
    indexes: ["articles_by_slug_scope"],
  },
  {
    name: "whether a slug is taken",
    work: (db) => isSlugTaken(db, "large", "slug-7", "x"),
    indexes: ["articles_by_slug_scope"],
  },
  {
    name: "what a source brought of an article",
    work: (db) => findOrigin(db, "large", "source-8"),
    indexes: ["article_origins_pkey"],
  },
  {
    name: "the near duplicates of an article",
    work: async (db) => {
      await findFingerprint(db, 8);
      await listNear(db, { rowNo: 8, websiteId: "large" }, MINHASH);
    },
    indexes: ["fingerprints_pkey", "fingerprint_bands_pkey", "articles_pkey"],
  },
  {
    name: "an article that another one may link to",
    work: (db) => findRelatedTitle(db, "large", { tags: ["tag-7"], categories: [] }, "x"),
    indexes: ["article_labels_pkey"],
  },
  { name: "a page of pictures", work: (db) => listAssets(db, "large", null, 50), indexes: ["assets_by_creation"] },
  {
    name: "a page of the audit log",
    work: (db) => listAuditEntries(db, { websiteId: "large", actions: null }, { at: 90_000, id: "x" }, 50),
    // Where most entries are the website's, that of all is as good.
    indexes: [],
  },
  {
    name: "a page of all audit logs",
    work: (db) => listAuditEntries(db, { websiteId: null, actions: null }, null, 50),
    indexes: ["audit_log_by_time"],
  },
  {
    name: "an article's history",
    work: (db) => listTargetEntries(db, articleOf(7), { at: 90_000, id: "x" }, 50),
    indexes: ["audit_log_by_target"],
  },
  {
    name: "a page of an inbox",
    work: (db) =>
      listNotifications(
        db,
        { accountId: "account-7", hasSecondFactor: true },
        { unread: false, after: { at: 90_000, id: "x" }, limit: 50 },
      ),
    indexes: ["notifications_by_person"],
  },
  { name: "the held changes of an article", work: (db) => listHeld(db, 8), indexes: ["article_origins_by_article"] },
  {
    name: "all with held changes",
    work: (db) => heldRows(db, "large"),
    indexes: ["article_origins_held"],
  },
  { name: "an article by its id", work: (db) => findArticleAnywhere(db, articleOf(7)), indexes: ["articles_id_key"] },
  {
    name: "an article with its body",
    work: (db) => findFullArticleAnywhere(db, articleOf(7)),
    indexes: ["articles_id_key", "article_bodies_pkey"],
  },
  {
    name: "the website of an article that is changed",
    work: (db) => findWebsiteOfArticleToChange(db, articleOf(7)),
    indexes: ["articles_id_key"],
  },
  { name: "an article's website", work: (db) => findWebsiteId(db, articleOf(7)), indexes: ["articles_id_key"] },
  { name: "an article's body", work: (db) => findBody(db, 7), indexes: ["article_bodies_pkey"] },
  {
    name: "the article published last",
    work: (db) => newestPublished(db, "large"),
    indexes: ["articles_by_publication"],
  },
  {
    name: "the next page of an export",
    work: (db) => listArticles(db, "large", { after: { createdAt: 1, id: "" }, limit: 200 }),
    indexes: ["articles_in_order"],
  },
  // By articles_due, or for so few websites by articles_scheduled: the sampled statistics decide.
  { name: "scheduled articles that are due", work: (db) => listDue(db, 1, 100), indexes: [] },
  { name: "when the next one is due", work: (db) => findNextDue(db), indexes: [] },
  {
    name: "events after a sequence",
    work: (db) => listEvents(db, "large", { after: 7, limit: 100 }),
    indexes: ["events_pkey"],
  },
  {
    name: "events whose content is removed",
    work: async (db) => {
      const removal = { websiteId: "large", articleId: articleOf(7), beforeSequence: 100 };
      await isAwaited(db, removal);
      await listWithContent(db, removal, 20);
      await listEventsOfUncheckedAge(db, "large", 200);
      await removeDeletionExtensions(db, removal);
    },
    indexes: [
      "events_with_content",
      "events_deletions_extended",
      "events_pkey",
      "delivery_queue_lanes",
      "deliveries_parked",
    ],
  },
  { name: "an event", work: (db) => findEvent(db, "large", "event-7"), indexes: ["events_id_key"] },
  {
    name: "endpoints with something waiting",
    work: (db, all) => listWaiting(db, "worker-0", all * 10),
    indexes: ["delivery_queue_ready", "delivery_queue_retries"],
  },
  {
    name: "a claim",
    work: (db, all) => claim(db, WISHES, 128, all * 10, LEASE),
    indexes: ["delivery_queue_ready", "deliveries_pkey", "events_id_key", "delivery_queue_pkey"],
  },
  { name: "who holds the leases of deliveries", work: (db) => lockQueued(db, FIFTY), indexes: ["delivery_queue_pkey"] },
  {
    name: "attempts that are written down",
    work: async (db, all) => {
      const nos = FIFTY.map((no) => QUEUED + Math.floor(all * 0.3) - no);
      const attempt = {
        startedAt: 1,
        outcome: "success" as const,
        status: 204,
        error: null,
        requestHeaders: {},
        responseHeaders: [],
        responseBody: "",
        timings: { dns: null, connect: null, firstByte: null, total: 1 },
      };
      await insertAttempts(
        db,
        nos.map((no) => ({ no, websiteId: "large", attempt: { ...attempt, number: 9 } })),
      );
      await recordProgress(
        db,
        nos.map((no) => ({ no, attempts: 1, state: "delivered" as const, finishedAt: 1 })),
      );
      await completeAndPromoteNext(
        db,
        nos.map((no) => ({ no, endpointId: endpointOf(3), articleId: articleOf(no) })),
        1,
      );
      await retryAt(
        db,
        nos.map((no) => ({ no, tries: 1, dueAt: 1, canExpedite: true, notBefore: null })),
        1,
      );
      await removeFromQueue(db, nos);
      await releaseUnused(db, [{ no: 7, token: "t" }]);
    },
    indexes: ["deliveries_pkey", "delivery_queue_pkey", "delivery_queue_lanes"],
  },
  {
    name: "a delivery that is put in line",
    work: async (db) => {
      await lockArticleQueues(db, [endpointOf(3), endpointOf(4)], articleOf(7), false);
      await listUnsent(db, endpointOf(3), articleOf(7));
      await hasLaterEvent(db, { endpointId: endpointOf(3), articleId: articleOf(7), sequence: 1 });
      await markFailing(db, endpointOf(3), articleOf(7), 1);
      await enqueue(db, "delivery-1", 1);
    },
    indexes: ["delivery_queue_lanes"],
  },
  {
    name: "retries that are pulled forward and pushed back",
    work: async (db) => {
      await expediteRetries(db, endpointOf(3), 1e15);
      await retryAllNow(db, endpointOf(3), 1e15);
      await restoreBackoff(db, endpointOf(3), 1e15);
    },
    indexes: ["delivery_queue_ready", "delivery_queue_retries"],
  },
  {
    name: "how much an endpoint has waiting",
    work: (db) => countUnfinished(db, endpointOf(3), 1_000),
    indexes: ["delivery_queue_lanes"],
  },
  {
    name: "what there is to do",
    work: (db) => scanQueue(db, "worker-0", true),
    indexes: ["delivery_queue_leases", "delivery_queue_ready", "delivery_queue_lanes"],
  },
  {
    name: "leases that are taken back",
    work: async (db) => {
      await releaseExpired(db, 1);
      await releaseLeases(db, "worker-0");
      await listHeldClaims(db);
      await releaseClaims(db, ["t"]);
    },
    indexes: ["delivery_queue_leases"],
  },
  {
    name: "what is parked",
    work: async (db) => {
      await listToPark(db);
      await parkWaiting(db, endpointOf(1), 500);
    },
    indexes: ["delivery_queue_lanes"],
  },
  { name: "parked deliveries", work: (db) => listParked(db, endpointOf(3), 1, 200), indexes: ["deliveries_parked"] },
  {
    name: "the newest deliveries of an endpoint",
    work: async (db) => {
      await listDeliveries(db, endpointOf(3), { limit: 50 });
      await newestDeliveryNo(db, endpointOf(3));
    },
    indexes: ["deliveries_by_endpoint", "delivery_queue_pkey"],
  },
  {
    name: "an endpoint's deliveries in one state",
    work: async (db) => {
      for (const state of DELIVERY_STATES) {
        await listDeliveries(db, endpointOf(3), { state, limit: 25 });
        await listDeliveries(db, endpointOf(3), { state, before: 50_000, limit: 25 });
      }
    },
    indexes: ["deliveries_by_endpoint", "deliveries_by_failed_state", "deliveries_parked", "delivery_queue_lanes"],
  },
  {
    name: "how much webhooks have waiting and parked",
    work: (db) => measureLoads(db, [endpointOf(1), endpointOf(3)], 10_000),
    indexes: ["delivery_queue_lanes", "delivery_queue_ready", "deliveries_parked"],
  },
  {
    name: "the events since a time",
    work: (db, count) => eventsSince(db, "large", count / 2, EVENT_KINDS),
    indexes: ["events_pkey"],
  },
  {
    name: "titles of articles",
    work: (db) => listTitles(db, "large", [articleOf(7), articleOf(8)]),
    indexes: ["articles_id_key"],
  },
  {
    name: "a delivery with its attempts",
    work: async (db) => [await findDeliveryAnywhere(db, "delivery-7"), await listAttempts(db, [7])],
    indexes: ["deliveries_id_key", "attempts_pkey"],
  },
  {
    name: "history that is forgotten",
    work: async (db) => {
      await listForPruning(db, 10, 500);
      await listDeletedWithHistory(db);
      await listDeliveryNumbers(db, endpointOf(1), 10, 500);
      await pruneDeliveries(db, [1, 2, 3]);
    },
    indexes: ["deliveries_pkey", "deliveries_by_endpoint", "attempts_pkey"],
  },
  {
    name: "what an endpoint has missed",
    work: async (db) => {
      await listExhausted(db, endpointOf(3), 1, 200);
      await countMissed(db, endpointOf(3), 1, 10_000);
    },
    indexes: ["deliveries_by_failed_state", "deliveries_parked", "delivery_queue_lanes"],
  },
];
