/** How articles came in, on their pages and as a filter of the list. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { ARTICLE_ORIGINS } from "../../src/domain/articles/article.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { originRows } from "../../src/store/articles/article-lists.ts";
import { declareRow } from "../../src/store/row.ts";
import { CHIEF } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { Machine } from "../helpers/machine.ts";
import { openTeam } from "../helpers/team.ts";
import { sentBy } from "../postgres/plans.ts";

const team = await openTeam();
const { service } = team;
const { app, website } = service;
const machine = await Machine.start(service, "draft", "Tea bot");
after(async () => {
  machine[Symbol.dispose]();
  await team[Symbol.asyncDispose]();
});

const MARKDOWN = "Warm water.";

async function bring(actor: Parameters<typeof importArticles>[3]["actor"], ref: string, title: string): Promise<void> {
  const item = { kind: "draft" as const, source: ref, ref: `markdown:${ref}`, input: { title, markdown: MARKDOWN } };
  const options = { events: false, dryRun: false, actor };
  const { created } = await importArticles(app, website.id, Readable.from([item]), options);
  assert.equal(created, 1);
}

async function titles(origin: string, more = ""): Promise<string[]> {
  const query = `website_id=${website.id}&view=all&origin=${origin}${more}`;
  const { articles } = await team.viewer.json("GET", `/articles?${query}`);
  return records(articles)
    .map(({ title }) => String(title))
    .toSorted();
}

/** @returns its kind, who brought it, its file and its external id. */
async function originOf(title: string): Promise<unknown[]> {
  const { articles } = await team.viewer.json("GET", `/articles?website_id=${website.id}&view=all&limit=100`);
  const line = records(articles).find((one) => one["title"] === title);
  const { origin } = await team.viewer.json("GET", `/articles/${String(line?.["id"])}`);
  const { kind, by, source, external_id: externalId } = record(origin);
  return [kind, record(by)["name"], source, externalId];
}

test("an article says how it came in, who or what brought it, and from where", async () => {
  await team.editor.json("POST", "/articles", { website_id: website.id, title: "By hand", markdown: MARKDOWN }, 201);
  const path = `/imports?website_id=${website.id}&name=posts%2Fdropped.md`;
  const dropped = await team.editor.sendFile(path, `# Dropped\n\n${MARKDOWN}\n`);
  assert.equal(dropped.status, 200, dropped.text);
  await bring({ ...CHIEF, id: "import" }, "posts/imported.md", "Imported");
  await bring({ id: machine.id, mayApprove: false, isMachine: true }, "posts/pushed.md", "Pushed");
  await machine.json("POST", "/articles", { title: "Sent", markdown: MARKDOWN }, { status: 201 });
  const brought = { title: "Upserted", markdown: MARKDOWN };
  await machine.json("PUT", "/articles/by-external-id/tea-7", brought, { status: 201 });
  const line = `${JSON.stringify({ external_id: "tea-8", title: "Batch", markdown: MARKDOWN })}\n`;
  const headers = { "Content-Type": "application/x-ndjson" };
  assert.equal((await machine.send("POST", "/articles/batch", line, { headers })).status, 200);

  assert.deepEqual(await originOf("By hand"), ["written", "editor", null, null]);
  assert.deepEqual(await originOf("Dropped"), ["file", "editor", "posts/dropped.md", null]);
  assert.deepEqual(await originOf("Imported"), ["import", "import", "posts/imported.md", null]);
  assert.deepEqual(await originOf("Pushed"), ["push", "Tea bot", "posts/pushed.md", null]);
  assert.deepEqual(await originOf("Sent"), ["api", "Tea bot", null, null]);
  assert.deepEqual(await originOf("Upserted"), ["api", "Tea bot", null, "tea-7"]);
  assert.deepEqual(await originOf("Batch"), ["api", "Tea bot", null, "tea-8"]);
});

test("the list and its counts are filtered by origin, together with the other filters", async () => {
  assert.deepEqual(await titles("written"), ["By hand"]);
  assert.deepEqual(await titles("file"), ["Dropped"]);
  assert.deepEqual(await titles("import"), ["Imported"]);
  assert.deepEqual(await titles("push"), ["Pushed"]);
  assert.deepEqual(await titles("api"), ["Batch", "Sent", "Upserted"]);
  assert.deepEqual(await titles("api", "&q=upserted"), ["Upserted"]);
  const path = `/articles/counts?website_id=${website.id}&origin=api`;
  const { all, with_author: drafts } = await team.viewer.json("GET", path);
  assert.deepEqual([all, drafts], [3, 1]);
  const unknown = await team.viewer.send("GET", `/articles?website_id=${website.id}&view=all&origin=fax`);
  assert.equal(unknown.status, 400);
});

test("an index alone finds what came in like that", async () => {
  const { store } = app;
  if (store.engine === "postgres") return; // test/postgres/plans.test.ts
  for (const origin of ARTICLE_ORIGINS) {
    const [sent] = await sentBy(store, (db) => originRows(db, website.id, origin));
    assert.ok(sent !== undefined);
    const sql = declareRow<{ detail: string }>(`EXPLAIN QUERY PLAN ${sent.sql}`);
    const plan = await store.read((db) => db.all(sql, ...sent.params));
    assert.deepEqual(
      plan.map(({ detail }) => detail),
      ["SEARCH articles USING COVERING INDEX articles_by_origin (website_id=? AND origin=?)"],
    );
  }
});
