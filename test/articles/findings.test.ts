/** What is found in articles: by kind in the lists of people and machines. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { FindingKind, Severity } from "../../src/domain/articles/findings.ts";
import { findingRows, replaceFindings } from "../../src/store/articles/findings.ts";
import { declareRow } from "../../src/store/row.ts";
import { records } from "../helpers/http.ts";
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

async function make(title: string, kinds: [FindingKind, Severity][]): Promise<void> {
  const { article } = await team.stored(await team.newArticle({ title }));
  await app.store.write((db) => replaceFindings(db, article, new Map(kinds)));
}

await make("Sound", []);
await make("Warned", [["todo", "warn"]]);
await make("Blocked", [["placeholder", "block"]]);
await make("Both", [
  ["placeholder", "warn"],
  ["mojibake", "block"],
  ["todo", "warn"],
]);

const EXPECTED: [string, string[]][] = [
  ["any", ["Blocked", "Both", "Warned"]],
  ["blocking", ["Blocked", "Both"]],
  ["placeholder", ["Blocked", "Both"]],
  ["todo", ["Both", "Warned"]],
  ["lorem_ipsum", []],
];

function titles(articles: unknown): string[] {
  return records(articles)
    .map(({ title }) => String(title))
    .toSorted();
}

test("the dashboard's list, its counts and actions on all that match are filtered by finding", async () => {
  for (const [finding, expected] of EXPECTED) {
    const query = `website_id=${website.id}&finding=${finding}`;
    const { articles, total } = await team.viewer.json("GET", `/articles?${query}&view=all`);
    assert.deepEqual([titles(articles), total], [expected, expected.length], finding);
    const { all } = await team.viewer.json("GET", `/articles/counts?${query}`);
    assert.equal(all, expected.length, finding);
  }
  const both = await team.viewer.json("GET", `/articles?website_id=${website.id}&view=all&finding=todo&q=both`);
  assert.deepEqual(titles(both["articles"]), ["Both"]);
  const unknown = await team.viewer.send("GET", `/articles?website_id=${website.id}&view=all&finding=ugly`);
  assert.equal(unknown.status, 400);
});

test("a machine's list is filtered by finding", async () => {
  for (const [finding, expected] of EXPECTED) {
    const { articles } = await machine.json("GET", `/articles?finding=${finding}`);
    assert.deepEqual(titles(articles), expected, finding);
  }
});

test("an index finds the articles with a finding", async () => {
  const { store } = app;
  if (store.engine === "postgres") return; // test/postgres/plans.test.ts
  for (const filter of ["any", "blocking", "todo"] as const) {
    const [sent] = await sentBy(store, (db) => findingRows(db, website.id, filter));
    assert.ok(sent !== undefined);
    const sql = declareRow<{ detail: string }>(`EXPLAIN QUERY PLAN ${sent.sql}`);
    const plan = await store.read((db) => db.all(sql, ...sent.params));
    assert.match(plan[0]?.detail ?? "", /^SEARCH article_findings USING (COVERING )?INDEX article_findings_by_kind/);
  }
});
