/** Dead letters: shown to owners of every website, retried, and discarded after a confirmation. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, getArticle, scheduleArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { poison } from "../helpers/poison.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { startJourney, type Visit } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney(LOOPBACK));
const PATH = "/dashboard/settings/dead-letters";

test("dead letters are shown with their reasons; one is retried, the other discarded", async () => {
  const { service, people } = journey();
  const { app, website } = service;
  await using receiver = await ScriptedReceiver.start(() => ({ status: 299 }));
  await createEndpoint(app, website.id, { url: receiver.url }, CLI_ORIGIN);
  const owner = await people.owner();
  await using visit = await journey().open("/dashboard/settings/webhooks", { as: owner });
  const { page } = visit;
  await page.getByRole("link", { name: "Failed tasks" }).click();
  await page.getByRole("heading", { name: "No failed tasks" }).waitFor();
  await visit.axe();
  const heal = await poison(app.store, "INSERT", "attempts", "status", 299);
  for (const title of ["First", "Second"]) {
    await createArticle(app, website.id, makeArticle({ title, status: "published" }), CHIEF);
  }
  await receiver.arrival(2);
  const rows = page.getByRole("listitem").filter({ hasText: "poison" });
  await untilListed(visit, rows, 2);
  await heal();
  const failures = service.log.failures.splice(0);
  assert.ok(failures.length > 0 && failures.every(({ error }) => String(error).includes("poison")));
  await rows.first().getByText("It is not retried automatically").waitFor();
  await rows.first().getByRole("link", { name: "View webhook" }).waitFor();
  await visit.axe();
  await rows.first().getByRole("button", { name: "Try again" }).click();
  await receiver.arrival(3);
  await page.getByText("Trying again.").waitFor();
  await rows.first().getByRole("button", { name: "Discard" }).click();
  const dialog = page.getByRole("dialog", { name: "Discard this delivery?" });
  await dialog.waitFor();
  await visit.axe();
  await dialog.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { name: "No failed tasks" }).waitFor();
  assert.equal(await rows.count(), 0);
});

test("a scheduled article that was set aside is published only after confirmation", async () => {
  const { service, people, website } = journey();
  const { app } = service;
  const { article } = await createArticle(app, website.id, makeArticle({ title: "Late", status: "approved" }), CHIEF);
  const heal = await poison(app.store, "INSERT", "events", "article_id", article.id);
  await scheduleArticle(app, article.id, app.clock() + 2_000, CHIEF);
  await using visit = await journey().open(PATH, { as: await people.owner() });
  const { page } = visit;
  const row = page.getByRole("listitem").filter({ hasText: "Scheduled article" });
  await untilListed(visit, row, 1);
  await heal();
  service.log.failures.splice(0);
  await row.getByRole("button", { name: "Try again" }).click();
  const dialog = page.getByRole("dialog", { name: "Try to publish this article again?" });
  await dialog.getByText("article.published").waitFor();
  await visit.axe();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await getArticle(app, article.id)).article.status, "approved");
  await row.getByRole("button", { name: "Try again" }).click();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await until(
    "it is published",
    async () => (await getArticle(app, article.id)).article.status === "published",
    30_000,
  );
});

test("owners of a single website cannot find or open the page", async () => {
  const { people, website } = journey();
  await using visit = await journey().open(PATH, { as: await people.person("owner", website.id, "one@example.com") });
  const { page } = visit;
  await page.getByRole("heading", { name: "Only owners of every website can open this page" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Failed tasks" }).count(), 0);
  await visit.axe();
});

/** Reads the page again until it has this many dead letters of that kind. */
function untilListed(visit: Visit, rows: Locator, count: number): Promise<void> {
  return until(
    `${count} are set aside`,
    async () => {
      await visit.page.reload();
      await visit.settled();
      return (await rows.count()) === count;
    },
    30_000,
  );
}
