/** Makes the ordered changes in a separate process on the same database, as commands do. */
import { openApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/process/settings/config.ts";
import * as articles from "../../../src/operations/articles/write/articles.ts";
import { CHIEF } from "../../helpers/articles.ts";
import type { Change } from "./ledger.ts";
import { contentOf, labelOf } from "./observer.ts";
import type { FromPublisher } from "./publisher.ts";
import { withEventId } from "../../helpers/with-event-id.ts";

const app = await openApp(readConfig(process.env, process.cwd()));
const tell = (message: FromPublisher) => process.send?.(message);

process.on("message", (change: Change) => {
  make(change).then(
    () => tell({ type: "made", eventId: change.eventId }),
    (error: unknown) => tell({ type: "failed", message: error instanceof Error ? (error.stack ?? "") : String(error) }),
  );
});
process.on("disconnect", () => void app[Symbol.asyncDispose]());
tell({ type: "ready" });

async function make({ eventId, websiteId, articleId, kind, title }: Change): Promise<void> {
  const deps = withEventId(app, eventId);
  const input = { title, content: contentOf(title) };
  switch (kind) {
    case "create": {
      const all = { ...input, id: articleId, tags: [labelOf(articleId)], status: "published" as const };
      await articles.createArticle(deps, websiteId, all, CHIEF);
      return;
    }
    case "update":
      await articles.updateArticle(deps, articleId, input, CHIEF);
      return;
    case "unpublish":
      await articles.unpublishArticle(deps, articleId, CHIEF);
      return;
    case "publish":
      await articles.publishArticle(deps, articleId, CHIEF);
      return;
    case "delete":
      await articles.deleteArticle(deps, articleId, CHIEF);
      return;
    case "restore":
      await articles.restoreArticle(deps, articleId, CHIEF);
  }
}
