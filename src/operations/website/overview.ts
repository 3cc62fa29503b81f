/** A website's activity: waiting articles, recent publications, webhooks and readers. */
import { HOUR_MS, startOfHour, type Millis } from "../../domain/system/time.ts";
import { type ArticleSummary, stateRows, summaries } from "../../store/articles/article-lists.ts";
import { type DeliveryCount, deliveriesByHour } from "../../store/webhooks/attempts.ts";
import type { StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import { readsByHour } from "../../store/people/key-requests.ts";
import { type ArticleList, countLists, listPage, type ListView } from "../articles/lists/article-lists.ts";
import type { ReadModel } from "../articles/read-model/read-model.ts";
import { findRecheckShare } from "../articles/write/recheck.ts";
import type { Deps } from "../system/deps.ts";
import { listWarnings } from "../webhooks/endpoint-views.ts";

const SHOWN = 5;
const HOURS = 24;
const NONE: DeliveryCount = { delivered: 0, exhausted: 0, retried: 0 };

export interface Overview {
  counts: Record<ListView, number>;
  /** Those that came to review first are first; at most five, like the next two. */
  waiting: ArticleSummary[];
  /** Next first. */
  scheduled: ArticleSummary[];
  /** Published here last, whatever dates an import brought. */
  published: ArticleSummary[];
  /** Each of the last 24 hours, oldest first; the last one is the current hour. */
  deliveries: (DeliveryCount & { hour: Millis })[];
  reads: { hour: Millis; requests: number }[];
  warnings: { endpoint: StoredEndpoint; warning: string }[];
  /** How much of the recheck after an upgrade is done, 0 to 1; null: all. */
  recheck: number | null;
}

/** @param disableAfter failures that disable an endpoint; null omits warnings. @throws AppError `not_found`. */
export async function readOverview(
  { readModel, ...deps }: Pick<Deps, "store" | "clock" | "secrets"> & { readModel: ReadModel },
  websiteId: string,
  person: string,
  disableAfter: number | null,
): Promise<Overview> {
  const thisHour = startOfHour(deps.clock());
  const hours = Array.from({ length: HOURS }, (_none, index) => thisHour - (HOURS - 1 - index) * HOUR_MS);
  const counts = await countLists(readModel, websiteId, person);
  const first = async (view: ListView, sort: ArticleList["sort"] = null) => {
    const list: ArticleList = { view, person, sort, filter: {} };
    return (await listPage(readModel, websiteId, list, { offset: 0, limit: SHOWN })).articles;
  };
  const since = thisHour - (HOURS - 1) * HOUR_MS;
  const [waiting, scheduled, published, { delivered, requests, warnings, recheck }] = await Promise.all([
    first("in_review", { field: "state_since", descending: false }),
    first("scheduled"),
    deps.store.read(async (db) =>
      summaries(db, [...(await stateRows(db, websiteId, { status: "published", descending: true, limit: SHOWN }))]),
    ),
    deps.store.read(async (db) => ({
      delivered: await deliveriesByHour(db, websiteId, since),
      requests: new Map((await readsByHour(db, websiteId, since)).map((one) => [one.hour, one.requests])),
      warnings: disableAfter === null ? [] : await listWarnings(db, { ...deps, disableAfter }, websiteId),
      recheck: await findRecheckShare(db),
    })),
  ]);
  return {
    counts,
    waiting,
    scheduled,
    published,
    deliveries: hours.map((hour) => ({ hour, ...(delivered.get(hour) ?? NONE) })),
    reads: hours.map((hour) => ({ hour, requests: requests.get(hour) ?? 0 })),
    warnings,
    recheck,
  };
}
