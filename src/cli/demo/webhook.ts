/** The demonstration's webhook, and a change that shows it. */
import type { App } from "../../app.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { scheduleArticle, updateArticle } from "../../operations/articles/articles.ts";
import { loadTarget } from "../../operations/webhooks/record-attempts.ts";
import { createEndpoint, deleteEndpoint, listEndpoints } from "../../operations/webhooks/endpoints.ts";
import { CLI_ACTOR } from "../command.ts";
import { type Receiver, RECEIVER_URL } from "./receiver.ts";

/** The article that the demonstration edits by itself. */
const SHOWN_SLUG = "darjeeling-four-harvests";
const LIVE_AFTER_MS = 3_000;
const TAG = "seen-in-the-demonstration";

/** The receiver's port at an earlier start; undefined: this is the first one. */
export async function earlierPort(app: App, websiteId: string): Promise<number | undefined> {
  const endpoint = await findWebhook(app, websiteId);
  return endpoint === undefined ? undefined : Number(RECEIVER_URL.exec(endpoint.url)?.[1]);
}

/**
 * Tells the receiver the webhook's secret; makes the webhook when there is none, and anew when the receiver had to take
 * another port: the earlier one may have been disabled since, for want of a receiver.
 *
 * @returns the webhook's id.
 */
export async function connectReceiver(app: App, websiteId: string, receiver: Receiver): Promise<string> {
  const earlier = await findWebhook(app, websiteId);
  if (earlier !== undefined && earlier.url === receiver.url) {
    const target = await app.store.read((db) => loadTarget(db, app, earlier.id, app.clock()));
    receiver.use(target?.secrets[0] ?? "");
    return earlier.id;
  }
  if (earlier !== undefined) await deleteEndpoint(app, earlier.id, CLI_ORIGIN);
  const { secret, endpoint } = await createEndpoint(app, websiteId, { url: receiver.url }, CLI_ORIGIN);
  receiver.use(secret);
  return endpoint.id;
}

/**
 * Makes one event by itself: an article that waits for its publication goes live, and at later starts it is changed.
 *
 * @returns what is going to happen, in a sentence; null when somebody has done something else with that article.
 */
export async function showEvent(app: App, websiteId: string): Promise<string | null> {
  const shown = await app.store.read((db) =>
    db.get<{ id: string; title: string; status: string; tags: string }>(
      "SELECT id, title, status, tags FROM articles WHERE website_id = ? AND slug = ? AND deleted_at IS NULL",
      websiteId,
      SHOWN_SLUG,
    ),
  );
  try {
    if (shown?.status === "approved") {
      await scheduleArticle(app, shown.id, app.clock() + LIVE_AFTER_MS, CLI_ACTOR);
      return `"${shown.title}" is planned to go live in ${LIVE_AFTER_MS / 1_000} seconds: watch.`;
    }
    if (shown?.status === "published") {
      // Written by the store alone.
      const tags = JSON.parse(shown.tags) as string[];
      const others = tags.filter((tag) => tag !== TAG);
      await updateArticle(app, shown.id, { tags: others.length < tags.length ? others : [...tags, TAG] }, CLI_ACTOR);
      return `The tags of "${shown.title}" have just been changed: watch.`;
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return null;
}

async function findWebhook(app: App, websiteId: string) {
  return (await listEndpoints(app, websiteId)).find(({ url }) => RECEIVER_URL.test(url));
}
