/** What a transition reads and writes: the article once, and of its text nothing. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { FullArticle } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { declareRow } from "../../src/store/row.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import type { Writer } from "../../src/store/store.ts";
import { CHIEF, FUTURE, makeArticle, deriveHere, testSecrets } from "../helpers/articles.ts";
import { ENGINE, openTestStore } from "../helpers/database.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { recordSql } from "../postgres/plans.ts";

const { store, ...opened } = await openTestStore();
after(() => opened[Symbol.asyncDispose]());
/** The statements since it was last emptied. */
const statements: string[] = [];
const onStatement = (sql: string) => void statements.push(sql);
let made = 0;
const deps = {
  store: wrapStore(store, {
    read: (work) => store.read((db) => work(recordSql(db as Writer, onStatement))),
    write: (work, options) => store.write((db) => work(recordSql(db, onStatement)), options),
  }),
  clock: () => FUTURE - 10_000 + made,
  newId: () => `00000000-0000-7000-8000-${String(++made).padStart(12, "0")}`,
  randomBytes: (size: number) => Buffer.alloc(size, 1),
  deriveContent: deriveHere,
  secrets: testSecrets,
};
const website = await createWebsite(deps, { name: "Test", url: null, urlPattern: null }, CLI_ORIGIN);

/** Some 300 kB that hardly compress. */
const LONG = Array.from({ length: 3_000 }, (_, index) => {
  const words = Array.from({ length: 10 }, (_word, at) => Math.imul(index * 10 + at + 1, 2_654_435_761).toString(36));
  return `<p>${words.join(" ")}.</p>`;
}).join("\n");

const TRANSITIONS: [name: string, run: (id: string) => Promise<FullArticle>][] = [
  ["approve", (id) => articles.approveArticle(deps, id, CHIEF)],
  ["request changes", (id) => articles.requestChanges(deps, id, "Say where the water came from. ".repeat(10), CHIEF)],
  ["submit", (id) => articles.submitArticle(deps, id, CHIEF)],
  ["approve again", (id) => articles.approveArticle(deps, id, CHIEF)],
  ["schedule", (id) => articles.scheduleArticle(deps, id, FUTURE + 1_000, CHIEF)],
  ["unschedule", (id) => articles.scheduleArticle(deps, id, null, CHIEF)],
  ["publish", (id) => articles.publishArticle(deps, id, CHIEF)],
  ["unpublish", (id) => articles.unpublishArticle(deps, id, CHIEF)],
  ["delete", (id) => articles.deleteArticle(deps, id, CHIEF)],
  ["restore", (id) => articles.restoreArticle(deps, id, CHIEF)],
];

test("a transition reads the article with one statement, and rewrites nothing of its text", async (t) => {
  const { article } = await articles.createArticle(deps, website.id, makeArticle({ content: LONG }), CHIEF);
  for (const [name, run] of TRANSITIONS) {
    await t.test(name, async () => {
      const rewritten = await (ENGINE === "sqlite" ? watchPages() : watchToast());
      statements.length = 0;
      const { body } = await run(article.id);
      assert.ok(body.html.length > 200_000);
      assert.equal(statements.filter(isReadingArticle).length, 1, statements.join("\n"));
      await rewritten();
      assert.deepEqual((await articles.getArticle(deps, article.id)).body, body);
    });
  }
});

function isReadingArticle(sql: string): boolean {
  return /^SELECT (?!1 )[^(]* FROM (?:articles|article_bodies)\b/.test(sql);
}

/** @returns a check that the bodies are on the same pages as then, and that at most the two with the steps have been written. */
async function watchPages(): Promise<() => Promise<void>> {
  const database = await store.read((db) =>
    db.get(declareRow<{ file: string }>("SELECT file FROM pragma_database_list WHERE name = 'main'")),
  );
  const path = database?.file ?? "";
  using own = new DatabaseSync(path);
  own.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { page_size: pageSize } = own.prepare("PRAGMA page_size").get() as { page_size: number };
  const before = pagesOfBodies(own);
  assert.ok(before.size > 100, `${before.size} pages`);
  return async () => {
    using now = new DatabaseSync(path);
    assert.deepEqual(pagesOfBodies(now), before);
    const log = await readFile(`${path}-wal`);
    const written = new Set<number>();
    for (let at = 32; at < log.length; at += 24 + pageSize) written.add(log.readUInt32BE(at));
    assert.ok(written.size > 0);
    assert.ok(written.intersection(before).size <= 2, `${written.size} pages were written`);
  };
}

function pagesOfBodies(database: DatabaseSync): Set<number> {
  const found = database.prepare("SELECT pageno FROM dbstat WHERE name = 'article_bodies'").all();
  return new Set((found as { pageno: number }[]).map(({ pageno }) => pageno));
}

/** @returns a check that the long values of the bodies are the same rows as then. */
async function watchToast(): Promise<() => Promise<void>> {
  const before = await listToast();
  assert.ok(before.length >= 3);
  return async () => assert.deepEqual(await listToast(), before);
}

/** The ids of the long values, which PostgreSQL keeps in pieces in a table of their own. */
function listToast(): Promise<{ chunk_id: number }[]> {
  return store.read(async (db) => {
    const table = await db.get(
      declareRow<{ name: string }>(
        "SELECT CAST(CAST(reltoastrelid AS REGCLASS) AS TEXT) AS name FROM pg_class WHERE oid = CAST('article_bodies' AS REGCLASS)",
      ),
    );
    return db.all(
      declareRow<{ chunk_id: number }>(
        `SELECT CAST(chunk_id AS BIGINT) AS chunk_id FROM ${table?.name} GROUP BY chunk_id HAVING COUNT(*) > 20 ORDER BY chunk_id`,
      ),
    );
  });
}
