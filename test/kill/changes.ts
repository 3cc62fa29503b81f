/** Makes a change that the article's state allows, whatever a killed process has done before. */
import type { FullArticle } from "../../src/domain/articles/article.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import type { EventKind } from "../../src/domain/webhooks/event.ts";
import {
  createArticle,
  deleteArticle,
  getArticle,
  publishArticle,
  restoreArticle,
  unpublishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import type { Actor, Deps } from "../../src/operations/system/deps.ts";
import { withEventId } from "../helpers/with-event-id.ts";

export interface Order {
  /** Id of the change's event. */
  eventId: string;
  articleId: string;
  /** From 0 to 1: selects one of the possible changes. */
  roll: number;
}

const ACTOR: Actor = { id: "chief", mayApprove: true };

type ChangeDeps = Pick<Deps, "store" | "clock" | "newId" | "deriveContent" | "secrets" | "randomBytes">;

/** @returns the kind of event that the change caused. Every change causes one. */
export async function change(all: ChangeDeps, websiteId: string, order: Order): Promise<EventKind> {
  const { articleId, roll } = order;
  const deps = withEventId(all, order.eventId);
  const before = await find(deps, articleId);
  if (before === undefined) {
    const input = {
      id: articleId,
      title: `Article ${articleId}`,
      content: textOf(order),
      status: "published" as const,
    };
    await createArticle(deps, websiteId, input, ACTOR);
    return "article.published";
  }
  const { status, deletedAt } = before.article;
  if (deletedAt !== null) {
    await restoreArticle(deps, articleId, ACTOR);
    return "article.published";
  }
  if (status === "approved") {
    await publishArticle(deps, articleId, ACTOR);
    return "article.published";
  }
  if (roll < 0.6) {
    await updateArticle(deps, articleId, { content: textOf(order) }, ACTOR);
    return "article.updated";
  }
  if (roll < 0.8) await unpublishArticle(deps, articleId, ACTOR);
  else await deleteArticle(deps, articleId, ACTOR);
  return "article.deleted";
}

async function find(deps: ChangeDeps, id: string): Promise<FullArticle | undefined> {
  try {
    return await getArticle(deps, id);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Texts of different lengths, with characters that are difficult in JSON and UTF-8. */
function textOf({ eventId, roll }: Order): string {
  const sentence = `<p>Größe “${eventId}” \u2028 🏺 &lt;b&gt; tea &amp; water.</p>`;
  return sentence.repeat(1 + Math.floor(roll * 20));
}
