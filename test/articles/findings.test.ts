/** What is found in articles: by kind in the lists of people and machines. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FINDING_FILTERS, type FindingKind, type Severity } from "../../src/domain/articles/findings.ts";
import { approveArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { findingRows, replaceFindings } from "../../src/store/articles/quality/findings.ts";
import { declareRow } from "../../src/store/row.ts";
import type { Store } from "../../src/store/store.ts";
import { CHIEF, PROSE } from "../helpers/articles.ts";
import { records } from "../helpers/http.ts";
import { Machine } from "../helpers/machine.ts";
import { openTeam } from "../helpers/team.ts";
import { recordSql, sentBy } from "../postgres/plans.ts";

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

async function kindsOf(title: string): Promise<string[]> {
  const found: string[] = [];
  for (const filter of FINDING_FILTERS.slice(2)) {
    const { articles } = await machine.json("GET", `/articles?finding=${filter}`);
    if (titles(articles).includes(title)) found.push(filter);
  }
  return found;
}

test("each save keeps the kinds that the text has then", async () => {
  const title = "Tea of [Company Name]";
  const id = await team.newArticle({
    title,
    content: `<p>${PROSE}</p><p>As an AI language model, I cannot browse.</p>`,
  });
  assert.deepEqual(await kindsOf(title), ["chatbot_voice", "placeholder"]);
  await updateArticle(app, id, { content: `<p>${PROSE}</p><p>Lorem ipsum dolor sit amet.</p>` }, CHIEF);
  assert.deepEqual(await kindsOf(title), ["placeholder", "lorem_ipsum"]);
  await approveArticle(app, id, CHIEF);
  assert.deepEqual(await kindsOf(title), ["placeholder", "lorem_ipsum"]);
  await updateArticle(app, id, { title: "Tea of our own", content: `<p>${PROSE}</p>` }, CHIEF);
  assert.deepEqual(await kindsOf("Tea of our own"), []);
});

test("a save that leaves the kinds as they are writes none of them", async () => {
  const id = await team.newArticle({ content: `<p>${PROSE}</p><p>Ask [Insert name] about it.</p>` });
  const sent: string[] = [];
  const store: Pick<Store, "read" | "write"> = {
    read: (work) => app.store.read(work),
    write: (work) => app.store.write((db) => work(recordSql(db, (sql) => void sent.push(sql)))),
  };
  const deps = { ...app, store: store as Store };
  await updateArticle(deps, id, { content: `<p>${PROSE} It is easy.</p><p>Ask [Insert name] about it.</p>` }, CHIEF);
  await updateArticle(deps, id, { metaDescription: "About us." }, CHIEF);
  assert.notEqual(sent.length, 0);
  assert.deepEqual(
    sent.filter((sql) => /article_findings|rechecked_metrics/.test(sql)),
    [],
  );
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
