/** Whether the webhooks have heard of what readers get of an article. */
import type { Millis } from "../../domain/articles/article.ts";
import { type EventDelivery, findNewestEvent, listEventDeliveries } from "../../store/webhooks/article-deliveries.ts";
import type { Deps } from "../system/deps.ts";
import { loadArticle } from "../articles/article-persistence.ts";

interface ArticleDeliveries {
  /** When the event happened. */
  at: Millis;
  /** One for each webhook. */
  deliveries: EventDelivery[];
}

/** Null for an article that is not published, and if no webhook was to hear of it. @throws AppError `not_found`. */
export function findArticleDeliveries(deps: Pick<Deps, "store">, id: string): Promise<ArticleDeliveries | null> {
  return deps.store.read(async (db) => {
    const { article } = await loadArticle(db, id);
    if (article.status !== "published" || article.deletedAt !== null) return null;
    const event = await findNewestEvent(db, article.websiteId, id);
    const deliveries = event === undefined ? [] : await listEventDeliveries(db, event);
    if (event === undefined || deliveries.length === 0) return null;
    // The last one of each: it may have been sent again.
    return {
      at: event.createdAt,
      deliveries: [...new Map(deliveries.map((delivery) => [delivery.endpointId, delivery])).values()],
    };
  });
}
