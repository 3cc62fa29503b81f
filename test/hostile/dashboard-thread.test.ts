/** Long texts are worked on by a thread of their own: nothing else about them is different. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { AppError } from "../../src/domain/system/errors.ts";
import { isDiskFull, isOutage } from "../../src/store/system/outage.ts";
import { Counter } from "../../src/http/operators/metrics.ts";
import { packError, unpackError } from "../../src/process/child-loop.ts";
import { DashboardWorker } from "../../src/workers/dashboard/thread.ts";
import type { LongRequest } from "../../src/http/admin/dashboard-thread.ts";
import { type Team, openTeam } from "../helpers/team.ts";
import { CHIEF } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { type Json, record, records } from "../helpers/http.ts";
import type { Browser } from "../people/dashboard.ts";

const SHORT = "A short text.\n\n";
const LONG = "A text that goes on and on.\n\n".repeat(4_000);

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === "service_unavailable";

let team: Team;

const requestOf = (body: Json): LongRequest => ({
  id: "test-1",
  method: "POST",
  url: "/dashboard/api/articles",
  headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie: team.owner.cookie },
  peer: "127.0.0.1",
  accountId: "somebody",
  body: Buffer.from(JSON.stringify(body)),
});

before(async () => {
  team = await openTeam({ ROSTRUM_TRUST_PROXY: "127.0.0.1/32" });
});
after(() => team[Symbol.asyncDispose]());

test("an error from another thread keeps its details about the disk and the database", () => {
  const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
  for (const error of [
    full,
    Object.assign(new Error("could not extend file"), { code: "53100" }),
    new AppError("unavailable", "The disk is full.", { cause: full }),
  ]) {
    assert.equal(isDiskFull(structuredClone(error)), false, "what it is for");
    const told = unpackError(structuredClone(packError(error)));
    assert.deepEqual([isDiskFull(told), isOutage(told)], [true, true]);
    assert.deepEqual([told.message, told.stack], [error.message, error.stack]);
    assert.equal(told instanceof AppError && told.code === "unavailable", error instanceof AppError);
  }
});

test("a long text is saved, and whoever reads the article next finds it", async () => {
  const { owner, service } = team;
  const made = await owner.json(
    "POST",
    "/articles",
    { website_id: service.website.id, title: "Long", markdown: LONG },
    201,
  );
  const id = String(record(made["article"])["id"]);
  await owner.json("POST", `/articles/${id}/approve-and-publish`, { version: record(made["line"])["version"] });
  let text = String((await service.detail(id))["content"]);
  assert.equal(text.length > LONG.length, true);
  for (let round = 1; round <= 5; round++) {
    const { version } = await team.page(id);
    const changes = { markdown: `Round ${round}.\n\n${LONG}` };
    await owner.json("PATCH", `/articles/${id}`, { version, draft_saved_at: null, as_draft: false, changes });
    text = String((await service.detail(id))["content"]);
    assert.match(text, new RegExp(`^<p>Round ${round}\\.</p>`));
  }
});

test("it is refused and recorded like a short one", async () => {
  const { owner, viewer, editor, service } = team;
  const id = await team.newArticle();
  const website_id = service.website.id;
  const newArticle: Json = { website_id, title: "T" };
  const edit: Json = { version: 999, draft_saved_at: null };
  const cases: [Browser, string, string, (markdown: string) => Json][] = [
    [owner, "POST", "/articles", (markdown) => ({ ...newArticle, markdown, colour: "red" })],
    [owner, "POST", "/articles", (markdown) => ({ ...newArticle, title: "a\0b", markdown })],
    [owner, "POST", "/articles", (markdown) => ({ ...newArticle, website_id: "nobody's", markdown })],
    [viewer, "POST", "/articles", (markdown) => ({ ...newArticle, markdown })],
    [owner, "PATCH", `/articles/${id}`, (markdown) => ({ ...edit, changes: { markdown } })],
    [
      editor,
      "PATCH",
      "/articles/01a1fdf4-0000-7000-8000-000000000000",
      (markdown) => ({ ...edit, changes: { markdown } }),
    ],
    [owner, "POST", "/articles/preview", (markdown) => ({ website_id, id: null, changes: { markdown, slug: 5 } })],
  ];
  for (const [browser, method, path, body] of cases) {
    const [short, long] = [await browser.send(method, path, body(SHORT)), await browser.send(method, path, body(LONG))];
    assert.deepEqual([long.status, long.text], [short.status, short.text], `${method} ${path}`);
    assert.equal(long.status >= 400 && long.status < 500, true, `${method} ${path}: ${long.text}`);
    const kept = ({ headers }: typeof short) => Object.keys(headers).filter((name) => name !== "connection");
    assert.deepEqual(kept(long).toSorted(), kept(short).toSorted());
  }
  const malformed = await owner.send("POST", "/articles", undefined, {});
  assert.equal(malformed.status, 403);
});

test("the audit log names the address that the trusted proxy gives", async () => {
  const { owner, service } = team;
  const headers = { "X-Forwarded-For": "203.0.113.9" };
  const body = { website_id: service.website.id, title: "From elsewhere", markdown: LONG };
  const reply = await owner.send("POST", "/articles", body, headers);
  assert.equal(reply.status, 201, reply.text);
  const { entries } = await owner.json("GET", `/audit?website_id=${service.website.id}`);
  const entry = records(entries).find(({ action }) => action === "article.created");
  assert.equal(entry?.["address"], "203.0.113.9");
});

describe("a thread that ends", () => {
  test("has a request refused, and the next one has a new thread; the service goes on", async () => {
    const { app, log, website } = team.service;
    const failures = log.failures.length;
    await using thread = new DashboardWorker({
      config: app.config,
      store: app.store,
      log,
      arrivals: new Counter("kind", "outcome"),
      maxHeapMb: 40,
    });
    const deep = { website_id: website.id, title: "T", tags: Array.from({ length: 1_000_000 }, (_none, n) => `${n}`) };
    await assert.rejects(thread.request(requestOf(deep)), isUnavailable);
    assert.equal(log.failures.length, failures + 1);
    const reply = await thread.request(requestOf({ website_id: website.id, title: "After it", markdown: SHORT }));
    assert.equal(reply.status, 201, reply.body.toString());
    log.failures.length = failures;
  });

  test("has an import end with an error, also between two batches", async () => {
    const { app, log, website } = team.service;
    const failures = log.failures.length;
    await using folder = await tempFolder();
    const path = folder.at("all.ndjson");
    const lines = Array.from({ length: 30 }, (_none, n) => JSON.stringify({ title: `Item ${n}`, markdown: SHORT }));
    await writeFile(path, lines.join("\n"));
    await using thread = new DashboardWorker({
      config: app.config,
      store: app.store,
      log,
      arrivals: new Counter("kind", "outcome"),
      maxHeapMb: 40,
    });
    const query = { website_id: website.id, name: "all.ndjson" };
    const job = { path, website, base: "https://articles.example.com", actor: CHIEF, query };
    const imported = thread.importFile(job);
    assert.match(String((await imported.next()).value), /"progress"/);
    const deep = { website_id: website.id, title: "T", tags: Array.from({ length: 1_000_000 }, (_none, n) => `${n}`) };
    await assert.rejects(thread.request(requestOf(deep)), isUnavailable);
    await assert.rejects(imported.next(), isUnavailable);
    log.failures.length = failures;
  });
});
