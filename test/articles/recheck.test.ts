/** Metrics by a later engine: computed in the background, shown to people, and delivered when an article is saved next. */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { ENGINE_VERSION } from "../../src/domain/articles/content/limits.ts";
import {
  approveArticle,
  createArticle,
  publishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { continueRecheck, recheckAll, type RecheckCounts } from "../../src/operations/articles/write/recheck.ts";
import { parseMetrics } from "../../src/domain/articles/article.ts";
import { findRelatedTitle } from "../../src/store/articles/labels.ts";
import { saveRecheckPosition } from "../../src/store/articles/quality/findings.ts";
import { CHIEF } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import { openTeam } from "../helpers/team.ts";

const team = await openTeam();
const { service } = team;
const { app, website } = service;
after(() => team[Symbol.asyncDispose]());

const OLD_SCORE = 1;

/** Has an earlier engine's metrics, as after an upgrade. */
async function makeOld(id: string): Promise<void> {
  const { article, body } = await team.stored(id);
  const old = { ...(JSON.parse(body.metricsJson) as object), engine_version: "0.9.0", overall_score: OLD_SCORE };
  await app.store.write((db) =>
    db.run("UPDATE article_bodies SET metrics = ? WHERE row_no = ?", JSON.stringify(old), article.rowNo),
  );
}

async function newOldArticle(): Promise<string> {
  const id = await team.newArticle();
  await makeOld(id);
  return id;
}

function recheck(websiteId: string | null = null): Promise<RecheckCounts> {
  return recheckAll(app, websiteId, () => undefined, throwIt);
}

function throwIt(error: unknown): never {
  throw error;
}

async function score(id: string): Promise<unknown> {
  return record((await team.page(id)).all["line"])["score"];
}

beforeEach(async () => void (await recheck()));

test("a recheck changes what people see, and nothing of what readers or approvers have", async () => {
  const id = await newOldArticle();
  await approveArticle(app, id, CHIEF);
  await publishArticle(app, id, CHIEF);
  const before = await service.get(`/api/public/articles/${id}`);
  const stored = await team.stored(id);
  assert.equal(await score(id), OLD_SCORE);

  const { rechecked, failed } = await recheck();

  assert.deepEqual([rechecked, failed], [1, 0]);
  assert.notEqual(await score(id), OLD_SCORE);
  const metrics = record((await team.page(id)).article["quality_metrics"]);
  assert.equal(metrics["engine_version"], ENGINE_VERSION);
  const afterwards = await service.get(`/api/public/articles/${id}`, { "If-None-Match": before.headers["etag"] });
  assert.equal(afterwards.status, 304);
  assert.deepEqual(await team.stored(id), stored);
  assert.deepEqual((await team.page(id)).all["approval"], { is_current: true });
});

async function overview(): Promise<unknown> {
  return (await team.viewer.json("GET", `/overview?website_id=${website.id}`))["recheck"];
}

async function linkCheck(id: string) {
  return parseMetrics((await team.stored(id)).body.metricsJson).checks.find((one) => one.id === "internal_links");
}

test("the overview shows how far it has come after an upgrade", async () => {
  while (await continueRecheck(app, throwIt));
  assert.equal(await overview(), null);
  for (let number = 0; number < 25; number++) await newOldArticle();
  await app.store.write((db) => saveRecheckPosition(db, { engineVersion: "0.9.0", after: null }));
  assert.equal(await overview(), 0);
  await continueRecheck(app, throwIt);
  const share = Number(await overview());
  assert.ok(share > 0 && share < 1, String(share));
  while (await continueRecheck(app, throwIt));
  assert.equal(await overview(), null);
});

test("an article may link to another one of its topic, once the website has ten", async () => {
  const other = await service.newWebsite({ name: "Related" });
  const input = { content: `<p>${"Soft water makes better tea. ".repeat(20)}</p>`, tags: ["Water"] };
  const publish = async (title: string, tags: string[]) => {
    const { article } = await createArticle(app, other.id, { ...input, title, tags, status: "published" }, CHIEF);
    return article.id;
  };
  for (let number = 1; number < 10; number++)
    await publish(`Kettle ${number}`, number === 5 ? ["water", "Tea"] : ["Tea"]);
  const early = await publish("Early", ["Lamps"]);
  const { article } = await createArticle(app, other.id, { ...input, title: "Springs" }, CHIEF);
  assert.match((await linkCheck(article.id))?.message ?? "", /such as “Kettle 5”/);
  assert.equal(await linkCheck(early), undefined);
  await updateArticle(app, article.id, { tags: ["Fire"], title: "Ashes" }, CHIEF);
  assert.equal(await linkCheck(article.id), undefined);
});

test("the published article that shares most topics is found, the newest of several, past tens of drafts", async () => {
  const other = await service.newWebsite({ name: "Many" });
  const make = async (title: string, status: "published" | "pending", tags = ["Water"]) => {
    await createArticle(app, other.id, { content: "<p>Soft water.</p>", title, tags, status }, CHIEF);
  };
  const find = (tags = ["Water"]) =>
    app.store.read((db) => findRelatedTitle(db, other.id, { tags, categories: [] }, null));
  await make("Both", "published", ["Water", "Fire"]);
  for (let number = 1; number <= 8; number++) await make(`Public ${number}`, "published");
  assert.equal(await find(), undefined, "nine are too few to link to");
  await make("Public 9", "published");
  assert.deepEqual([await find(), await find(["Water", "Fire"])], ["Public 9", "Both"]);
  for (let number = 1; number <= 30; number++) await make(`New ${number}`, "pending");
  assert.deepEqual([await find(), await find(["Water", "Fire"])], ["Public 9", "Both"]);
  // A long queue would cost every save more than a suggestion is worth.
  for (let number = 1; number <= 20; number++) await make(`Newer ${number}`, "pending");
  assert.equal(await find(), undefined);
});

test("a list shows the new score", async () => {
  const id = await newOldArticle();
  await recheck();
  const list = await team.viewer.json("GET", `/articles?website_id=${website.id}&view=all&limit=100`);
  const line = (list["articles"] as { id: string; score: number }[]).find((one) => one.id === id);
  assert.equal(line?.score, await score(id));
  assert.notEqual(line?.score, OLD_SCORE);
});

test("the next save delivers the new metrics, and nothing is left of the recheck", async () => {
  const id = await newOldArticle();
  await recheck();
  const { article } = await team.stored(id);
  await updateArticle(app, id, { title: "Another title" }, CHIEF);
  const rows = await app.store.read((db) =>
    db.all("SELECT row_no FROM rechecked_metrics WHERE row_no = ?", article.rowNo),
  );
  assert.deepEqual(rows, []);
  const { body } = await team.stored(id);
  assert.match(body.metricsJson, new RegExp(`"engine_version":"${ENGINE_VERSION}"`));
});

test("an approval without a change of the text keeps the recheck's metrics", async () => {
  const id = await newOldArticle();
  await recheck();
  await approveArticle(app, id, CHIEF);
  assert.notEqual(await score(id), OLD_SCORE);
});

test("what is rechecked already, or by the current engine, is not processed again", async () => {
  await newOldArticle();
  await team.newArticle();
  assert.equal((await recheck()).rechecked, 1);
  assert.equal((await recheck()).rechecked, 0);
});

test("a website's recheck leaves the others alone", async () => {
  const other = await service.newWebsite();
  const id = await newOldArticle();
  assert.equal((await recheck(other.id)).rechecked, 0);
  assert.equal(await score(id), OLD_SCORE);
  assert.equal((await recheck(website.id)).rechecked, 1);
});

test("an article that was saved while it was being rechecked keeps what was saved", async () => {
  const id = await newOldArticle();
  const deps = {
    ...app,
    deriveContent: async (...args: Parameters<typeof app.deriveContent>) => {
      const derived = await app.deriveContent(...args);
      await updateArticle(app, id, { title: "Saved meanwhile" }, CHIEF);
      return derived;
    },
  };
  const counts = await recheckAll(deps, null, () => undefined, throwIt);
  assert.equal(counts.rechecked, 0);
});

test("an article that cannot be processed keeps its metrics, and the others are rechecked", async () => {
  const [broken, fine] = [await newOldArticle(), await newOldArticle()];
  const { article } = await team.stored(broken);
  const deps = {
    ...app,
    deriveContent: (...args: Parameters<typeof app.deriveContent>) =>
      args[1].title === article.title ? Promise.reject(new Error("too expensive")) : app.deriveContent(...args),
  };
  const failures: string[] = [];
  const { rechecked, failed } = await recheckAll(
    deps,
    null,
    () => undefined,
    (_error, message) => failures.push(message),
  );
  assert.deepEqual([rechecked, failed, failures.length], [1, 1, 1]);
  assert.equal(await score(broken), OLD_SCORE);
  assert.notEqual(await score(fine), OLD_SCORE);
});

test("after an upgrade the service rechecks batch by batch, goes on where it stopped, and ends", async () => {
  const ids: string[] = [];
  for (let made = 0; made < 45; made++) ids.push(await newOldArticle());
  await app.store.write((db) => db.run("DELETE FROM settings WHERE name = 'recheck'"));
  let runs = 1;
  // Each run knows only what is stored, as another process would.
  while (await continueRecheck(app, throwIt)) runs++;
  assert.ok(runs >= 3, `${runs} runs`);
  for (const id of ids) assert.notEqual(await score(id), OLD_SCORE);
  assert.equal(await continueRecheck(app, throwIt), false);
});
