/** A website as a file: the very lines that the command writes. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, test } from "node:test";
import { deleteArticle } from "../../src/operations/articles/write/articles.ts";
import { exportAs } from "../../src/operations/articles/export/formats.ts";
import { Losses } from "../../src/operations/articles/export/losses.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { insertArticle, listArticles } from "../../src/store/articles/articles.ts";
import { declareRow } from "../../src/store/row.ts";
import type { Snapshot, Store, Value } from "../../src/store/store.ts";
import { CHIEF, fullArticle } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { sentBy } from "../postgres/plans.ts";
import { until } from "../helpers/until.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { inPieces } from "../../src/http/admin/articles/exports.ts";
import { API } from "../people/dashboard.ts";
import { type Team, openTeam, assertRefused } from "../helpers/team.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";

let team: Team;

before(async () => {
  team = await openTeam({}, changeStore(countTexts));
});
after(() => team[Symbol.asyncDispose]());

/** More articles of half a megabyte than a connection's buffers hold. */
const LARGE = 60;
/** How many articles' texts each snapshot was asked for. */
const textsRead: number[] = [];

function countTexts(store: Store): Partial<Store> {
  return {
    openSnapshot: async () => {
      const db = await store.openSnapshot();
      const snapshot = textsRead.push(0) - 1;
      const get = (sql: string, ...params: Value[]) => {
        if (sql.includes("FROM article_bodies")) textsRead[snapshot] = (textsRead[snapshot] ?? 0) + 1;
        return db.get(sql, ...params);
      };
      return {
        engine: db.engine,
        all: (sql, ...params) => db.all(sql, ...params),
        // A generic method cannot be wrapped without saying again what it gives.
        get: get as Snapshot["get"],
        rowNumbers: (sql, ...params) => db.rowNumbers(sql, ...params),
        [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
      };
    },
  };
}

function address(websiteId = team.service.website.id): string {
  return `/exports?website_id=${websiteId}`;
}

test("an export is byte for byte that of the command, sent as a download", async () => {
  for (const status of ["published", "approved", "pending"] as const) await team.newArticle(fullArticle({ status }));
  await team.newArticle({ title: "緑茶 \u2028 はい", markdown: "**茶**\n" });
  await deleteArticle(team.service.app, await team.newArticle({ title: "In the trash" }), CHIEF);
  const reply = await team.viewer.send("GET", address());
  assert.equal(reply.status, 200);
  assert.equal(reply.headers["content-type"], "application/x-ndjson; charset=utf-8");
  assert.match(reply.headers["content-disposition"] ?? "", /^attachment; filename="test-\d{4}-\d\d-\d\d\.ndjson"$/);
  assert.equal(reply.headers["cache-control"], "no-store");
  const lines = await Array.fromAsync(exportArticles(team.service.app, team.service.website.id));
  assert.equal(lines.length, 4);
  assert.equal(reply.text, lines.join(""));
  const { entries } = await team.owner.json(
    "GET",
    `/audit?website_id=${team.service.website.id}&about=articles&limit=1`,
  );
  const [entry] = records(entries);
  assert.deepEqual(
    [entry?.["action"], record(entry?.["actor"])["email"], record(entry?.["target"])["id"]],
    ["articles.exported", "viewer@example.com", team.service.website.id],
  );
});

/** Without the time of the export itself. */
function withoutTime(text: string): string {
  return text.replace(/"exported_on":\d+/, "").replaceAll(/"(?:cre|upd)ated_at":"[^"]*"/g, "");
}

test("an export for WordPress or Ghost is that of the command, too", async () => {
  for (const [format, type, extension] of [
    ["wordpress", "application/xml", "xml"],
    ["ghost", "application/json", "json"],
  ] as const) {
    const reply = await team.viewer.send("GET", `${address()}&format=${format}`);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers["content-type"], `${type}; charset=utf-8`);
    assert.match(reply.headers["content-disposition"] ?? "", new RegExp(`\\.${extension}"$`));
    const { id } = team.service.website;
    const lines = await Array.fromAsync(exportAs(team.service.app, id, { format, losses: new Losses() }));
    assert.equal(withoutTime(reply.text), withoutTime(lines.join("")));
  }
  await assertRefused(team.viewer, "GET", `${address()}&format=joomla`, undefined, 400);
});

test("an export pauses before each piece of it, as long as its website's share of the megabytes demands", async () => {
  const lines = Array.from({ length: 100 }, () => `${"x".repeat(9_999)}\n`);
  const paused: number[] = [];
  const pieces: string[] = [];
  const pause = (length: number) => Promise.resolve(void paused.push(length));
  for await (const piece of inPieces(lines, pause)) {
    pieces.push(piece);
    assert.equal(paused.length, pieces.length);
  }
  assert.deepEqual([pieces.join("").length, paused.length, paused[0]], [1_000_000, 15, 70_000]);
});

test("what was exported is imported unchanged", async () => {
  const { text } = await team.viewer.send("GET", address());
  const path = `/imports?website_id=${team.service.website.id}&name=export.ndjson`;
  const { text: told } = await team.approver.sendFile(path, text);
  const summary = JSON.parse(told.trimEnd().split("\n").at(-1) ?? "") as unknown;
  assert.deepEqual(summary, { kind: "summary", created: 0, updated: 0, unchanged: 4, held: 0, failed: 0, skipped: 0 });
});

test("the name of the file has only letters that every system accepts", async () => {
  for (const [name, file] of [
    ['東京 Tea & Co. / "x"\r\n', /filename="tea-and-co-x-20/],
    ["東京", /filename="articles-20/],
  ] as const) {
    const { id } = await team.service.newWebsite({ name });
    const { headers, text, status } = await team.owner.send("GET", address(id));
    assert.match(headers["content-disposition"] ?? "", file);
    assert.deepEqual([status, text], [200, ""]);
  }
});

test("a website's export is available to its members only", async () => {
  const other = await team.service.newWebsite({ name: "Other" });
  const stranger = await team.people.person("owner", other.id, "stranger@example.com");
  await assertRefused(stranger, "GET", address(), undefined, 403);
  await assertRefused(team.viewer, "GET", address("none"), undefined, 404);
});

test(
  "an export is read from the store only as fast as its browser takes it, and delays nobody",
  LONG_ONLY,
  async () => {
    const website = await team.service.newWebsite({ name: "Large" });
    const { article, body } = await team.stored(await team.newArticle());
    const html = `<p>${"Many words of an article. ".repeat(20_000)}</p>`;
    await team.service.app.store.write(async (db) => {
      for (let made = 0; made < LARGE; made++) {
        const id = team.service.app.newId();
        const one = { ...article, id, websiteId: website.id, slug: id };
        await insertArticle(db, { article: one, body: { ...body, html } }, 0);
      }
    });
    const open = async ({ cookie = "" }: { cookie?: string | undefined }) => {
      const asked = request(team.service.url + API + address(website.id), {
        headers: { Cookie: cookie },
        agent: false,
      });
      asked.on("error", () => undefined);
      asked.end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      response.on("error", () => undefined);
      await once(response, "readable");
      assert.ok(response.read(1) !== null);
      return response;
    };
    textsRead.length = 0;
    const slow = [await open(team.viewer)];
    assert.ok(
      Number(textsRead[0]) < LARGE,
      `the first byte arrived after ${textsRead[0]} of ${LARGE} articles were read`,
    );
    const whole = await team.owner.send("GET", address(website.id));
    assert.equal(whole.text.split("\n").length, LARGE + 1);
    // The other export began later, and is complete: this one has read no further than the connection's buffers reach.
    assert.deepEqual([textsRead.length, textsRead[1]], [2, LARGE]);
    assert.ok(
      Number(textsRead[0]) < LARGE,
      `${textsRead[0]} of ${LARGE} articles were read for a browser that takes none`,
    );
    slow.push(await open(team.viewer), await open(team.editor));
    const own = await assertRefused(team.viewer, "GET", address(website.id), undefined, 409);
    assert.match(own.message, /^Other exports of yours are under way/);
    const others = await assertRefused(team.owner, "GET", address(website.id), undefined, 409);
    assert.match(others.message, /^Other exports of this website are under way/);
    assert.equal((await team.owner.send("GET", address())).status, 200, "another website's is not held up");
    assert.equal((await team.viewer.send("GET", "/session")).status, 200);
    for (const one of slow) one.destroy();
    await until("there is room for another", async () => {
      const reply = await team.viewer.send("GET", address(website.id));
      return reply.status === 200 && reply.text.split("\n").length === LARGE + 1;
    });
  },
);

test("an export is in the website's audit log, with who made it", async () => {
  const website = await team.service.newWebsite({ name: "Taken along" });
  await team.editor.send("GET", address(website.id));
  const { entries } = await team.owner.json("GET", `/audit?website_id=${website.id}&about=articles`);
  const [entry] = records(entries);
  assert.equal(entry?.["action"], "articles.exported");
  assert.equal(record(entry?.["actor"])["email"], "editor@example.com");
});

test("an index finds each page of an export, in order, whatever the status", async () => {
  const { store } = team.service.app;
  if (store.engine === "postgres") return; // test/postgres/plans.test.ts
  const [sent] = await sentBy(store, (db) =>
    listArticles(db, team.service.website.id, { after: { createdAt: 1, id: "" }, limit: 200 }),
  );
  assert.ok(sent !== undefined);
  const plan = await store.read((db) =>
    db.all(declareRow<{ detail: string }>(`EXPLAIN QUERY PLAN ${sent.sql}`), ...sent.params),
  );
  assert.deepEqual(
    plan.map(({ detail }) => detail),
    ["SEARCH articles USING INDEX articles_in_order (website_id=? AND (created_at,id)>(?,?))"],
  );
});
