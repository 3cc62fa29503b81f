/** Whether the webhooks have received the published state of an article. */
import type { Millis } from "../../../domain/system/time.ts";
import {
  type EventDelivery,
  findNewestEvent,
  listEventDeliveries,
} from "../../../store/webhooks/article-deliveries.ts";
import type { Deps } from "../../system/deps.ts";
import { loadArticle } from "../write/article-persistence.ts";

interface ArticleDeliveries {
  at: Millis;
  deliveries: EventDelivery[];
}

/** Null if the article is not published, or no webhook was subscribed to the event. @throws AppError `not_found`. */
export function findArticleDeliveries(deps: Pick<Deps, "store">, id: string): Promise<ArticleDeliveries | null> {
  return deps.store.read(async (db) => {
    const { article } = await loadArticle(db, id);
    if (article.status !== "published" || article.deletedAt !== null) return null;
    const event = await findNewestEvent(db, article.websiteId, id);
    const deliveries = event === undefined ? [] : await listEventDeliveries(db, event);
    if (event === undefined || deliveries.length === 0) return null;
    // The latest delivery to each webhook, since an event may have been sent again.
    return {
      at: event.createdAt,
      deliveries: [...new Map(deliveries.map((delivery) => [delivery.endpointId, delivery])).values()],
    };
  });
}
