/** Sets up the demonstration's webhook, and makes a change that triggers it. */
import type { App } from "../../app/app.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { scheduleArticle, updateArticle } from "../../operations/articles/write/articles.ts";
import { loadUnsealed } from "../../operations/webhooks/send-attempt.ts";
import { createEndpoint, deleteEndpoint, listEndpoints } from "../../operations/webhooks/endpoints.ts";
import { CLI_ACTOR } from "../command.ts";
import { type Receiver, RECEIVER_URL } from "./receiver.ts";

/** The article that the demonstration itself changes. */
const SHOWN_SLUG = "darjeeling-four-harvests";
const LIVE_AFTER_MS = 3_000;
const TAG = "seen-in-the-demonstration";

/** The receiver's port at the previous start; undefined at the first start. */
export async function earlierPort(app: App, websiteId: string): Promise<number | undefined> {
  const endpoint = await findWebhook(app, websiteId);
  return endpoint === undefined ? undefined : Number(RECEIVER_URL.exec(endpoint.url)?.[1]);
}

/** Gives the receiver its webhook's secret. After a change of port the webhook is made anew, as it may be disabled. */
export async function connectReceiver(app: App, websiteId: string, receiver: Receiver): Promise<string> {
  const earlier = await findWebhook(app, websiteId);
  if (earlier !== undefined && earlier.url === receiver.url) {
    const target = await app.store.read((db) => loadUnsealed(db, app, earlier.id, app.clock()));
    receiver.use(target?.secrets[0] ?? "");
    return earlier.id;
  }
  if (earlier !== undefined) await deleteEndpoint(app, earlier.id, CLI_ORIGIN);
  const { secret, endpoint } = await createEndpoint(app, websiteId, { url: receiver.url }, CLI_ORIGIN);
  receiver.use(secret);
  return endpoint.id;
}

/** Schedules an approved article, or changes a live one. @returns what will happen; null if it is in another state. */
export async function showEvent(app: App, websiteId: string): Promise<string | null> {
  const shown = await app.store.read((db) =>
    db.get(
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
      // Only the store writes this column.
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
