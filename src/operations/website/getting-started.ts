/** Onboarding progress of a new website: a key, a first request, a webhook, a first delivery. */
import type { Millis } from "../../domain/system/time.ts";
import { keyRefusal } from "../../domain/people/api-key.ts";
import type { Website } from "../../domain/system/website.ts";
import type { ArticleSummary } from "../../store/articles/article-lists.ts";
import { listKeys } from "../../store/people/api-keys.ts";
import { listDeliveries } from "../../store/webhooks/delivery-history.ts";
import { firstDeliveryAt } from "../../store/webhooks/attempts.ts";
import { listEndpoints, type StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import { firstRequestAt } from "../../store/people/key-requests.ts";
import type { Snapshot } from "../../store/store.ts";
import { countLists, listPage } from "../articles/lists/article-lists.ts";
import type { ReadModel } from "../articles/read-model/read-model.ts";
import type { Deps } from "../system/deps.ts";
import { loadWebsite } from "../../store/system/websites.ts";

export interface OnboardingStatus {
  website: Website;
  /** The article published last. */
  example: ArticleSummary | null;
  hasArticles: boolean;
  hasKey: boolean;
  hasWebhook: boolean;
  firstRequestAt: Millis | null;
  /** A test delivery counts if nothing else has arrived. */
  firstDeliveryAt: Millis | null;
}

/** @throws AppError `not_found` when the website does not exist. */
export async function readOnboardingStatus(
  { store, clock, readModel }: Pick<Deps, "store" | "clock"> & { readModel: ReadModel },
  websiteId: string,
): Promise<OnboardingStatus> {
  const published = { view: "published", person: null, sort: null, filter: {} } as const;
  const [counts, { articles }, found] = await Promise.all([
    countLists(readModel, websiteId, null),
    listPage(readModel, websiteId, published, { offset: 0, limit: 1 }),
    store.read(async (db) => {
      const endpoints = await listEndpoints(db, websiteId);
      return {
        website: await loadWebsite(db, websiteId),
        hasKey: (await listKeys(db, websiteId)).some((key) => keyRefusal(key, clock()) === null),
        hasWebhook: endpoints.length > 0,
        firstRequestAt: await firstRequestAt(db, websiteId),
        firstDeliveryAt: (await firstDeliveryAt(db, websiteId)) ?? (await aTestAt(db, endpoints)),
      };
    }),
  ]);
  const hasArticles = counts.all > 0;
  return { ...found, example: articles[0] ?? null, hasArticles };
}

/** When a test arrived. Called only if nothing else has arrived, so there are few deliveries. */
async function aTestAt(db: Snapshot, endpoints: readonly StoredEndpoint[]): Promise<Millis | null> {
  for (const { id } of endpoints) {
    const [delivery] = (await listDeliveries(db, id, { state: "delivered", limit: 1 })).deliveries;
    if (delivery !== undefined) return delivery.finishedAt;
  }
  return null;
}
