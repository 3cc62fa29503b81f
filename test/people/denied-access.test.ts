/** Who tried what they may not is in the audit log, once in a while. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import type { Writer } from "../../src/store/store.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService } from "../helpers/service.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { recordSql } from "../postgres/plans.ts";
import { type Browser, people } from "./dashboard.ts";

async function refusals(owner: Browser, query: string): Promise<Json[]> {
  const { entries } = await owner.json("GET", `/audit?limit=200&about=accounts${query}`);
  return records(entries).filter(({ action }) => action === "access.refused");
}

test("a denied request is in its website's audit log, once an hour for each person and route", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const viewer = await all.person("viewer", service.website.id);
  const path = `/api-keys?website_id=${service.website.id}`;
  for (let tries = 0; tries < 5; tries++) assert.equal((await viewer.send("GET", path)).status, 403);
  const refused = await viewer.json("POST", "/articles", { website_id: service.website.id, title: "x" }, 403);
  assert.equal(refused["message"], "This requires the role editor or a higher one; ask an owner.");
  const found = await refusals(owner, `&website_id=${service.website.id}`);
  assert.deepEqual(found.map(({ detail }) => String(record(detail)["route"])).toSorted(), [
    "GET /api-keys",
    "POST /articles",
  ]);
  assert.deepEqual([...new Set(found.map(({ actor }) => record(actor)["email"]))], ["viewer@example.com"]);
});

test("nobody can fill the log with denied requests, whatever website ids they invent", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const viewer = await all.person("viewer", service.website.id);
  for (let tries = 0; tries < 100; tries++) {
    assert.equal((await viewer.send("GET", `/api-keys?website_id=made-up-${tries}`)).status, 403);
  }
  const found = await refusals(owner, "");
  assert.equal(found.length, 20);
  assert.ok(found.every((entry) => entry["website_id"] === null));
});

test("a request that needs the password or a second factor first is not logged as denied", async () => {
  let now = Date.now();
  await using service = await startTestService({}, (app) => ({ ...app, clock: () => now }));
  using all = people(service);
  const owner = await all.owner();
  const other = await all.owner();
  const viewer = await all.person("viewer", service.website.id);
  const sessions = records((await owner.json("GET", "/sessions"))["sessions"]);
  const theirs = sessions.find(({ current }) => current === false);
  now += 10 * 60_000;
  assert.equal((await owner.send("DELETE", `/sessions/${String(theirs?.["id"])}`)).status, 403);
  assert.equal((await owner.send("DELETE", "/passkeys/any")).status, 403);
  await updateWebsite(service.app, service.website.id, { requiresSecondFactor: true }, CLI_ORIGIN);
  assert.equal((await viewer.send("GET", `/exports?website_id=${service.website.id}`)).status, 403);
  await updateWebsite(service.app, service.website.id, { requiresSecondFactor: false }, CLI_ORIGIN);
  assert.deepEqual(await refusals(other, ""), []);
});

test("requests from another site, or from nobody, are not logged", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const nobody = all.browser();
  assert.equal((await nobody.send("GET", `/api-keys?website_id=${service.website.id}`)).status, 401);
  const foreign = { "Sec-Fetch-Site": "cross-site" };
  assert.equal((await owner.send("DELETE", "/session", {}, foreign)).status, 403);
  assert.deepEqual(await refusals(owner, ""), []);
});

test("the session and the website of a request are read once, in one transaction", async () => {
  const reads: string[][] = [];
  const change = changeStore((store) => ({
    read: (work) => {
      const statements: string[] = [];
      reads.push(statements);
      return store.read((db) => work(recordSql(db as Writer, (sql) => statements.push(sql))));
    },
  }));
  await using service = await startTestService({}, change);
  using all = people(service);
  const editor = await all.person("editor", service.website.id);
  const { article } = await createArticle(service.app, service.website.id, makeArticle(), CHIEF);
  await editor.json("GET", `/articles/${article.id}`);
  reads.length = 0;
  await editor.json("GET", `/articles/${article.id}`);
  const withSession = reads.filter((statements) => statements.some((sql) => sql.includes("FROM sessions")));
  const ofWebsite = reads.filter((statements) =>
    statements.some((sql) => sql.startsWith("SELECT website_id FROM articles")),
  );
  assert.equal(ofWebsite.length, 1);
  assert.deepEqual(ofWebsite, withSession);
});
