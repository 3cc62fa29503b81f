/** Lists by labels and words in their default order come from the order in memory, and equal what the database sorts. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ArticleStatus } from "../../src/domain/articles/article.ts";
import { createArticle, deleteArticle } from "../../src/operations/articles/write/articles.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import type { Writer } from "../../src/store/store.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { recordSql } from "../postgres/plans.ts";

/** Statements since it was last emptied. */
const statements: string[] = [];
const note = (sql: string) => void statements.push(sql);
const change = changeStore((store) => ({ read: (work) => store.read((db) => work(recordSql(db as Writer, note))) }));

let service: TestService;

before(async () => {
  service = await startTestService({}, change);
  const statuses: ArticleStatus[] = ["published", "approved", "pending"];
  for (let number = 0; number < 24; number++) {
    const input = makeArticle({
      status: statuses[number % 5] ?? "published",
      title: `Number ${number}`,
      content: `<p>${number % 2 === 0 ? "even" : "odd"} ${number % 3 === 0 ? "third" : "other"}</p>`,
      categories: [`C${number % 2}`],
      tags: [`t${number % 3}`],
      seoKeywords: [`k${number % 4}`],
      // Not in the order of their row numbers.
      createdAt: 1_700_000_000_000 + ((number * 7) % 24) * 60_000,
      publishedAt: 1_700_000_000_000 + ((number * 5) % 24) * 60_000,
    });
    const { article } = await createArticle(service.app, service.website.id, input, CHIEF);
    if (number % 6 === 5) await deleteArticle(service.app, article.id, CHIEF);
  }
  const elsewhere = { name: "Elsewhere", url: null, urlPattern: null };
  const other = await createWebsite(service.app, elsewhere, CLI_ORIGIN);
  for (const title of ["Number 8", "Another even third", "Only here"]) {
    const input = makeArticle({ status: "published", title, categories: ["C0"], tags: ["t0"] });
    await createArticle(service.app, other.id, input, CHIEF);
  }
});
after(() => service[Symbol.asyncDispose]());

const FILTERS = [
  "category=c1",
  "tag=T2",
  "keyword=k3",
  "q=even",
  "q=even+third&category=C0&tag=t0",
  "q=8",
  "q=8&tag=t0,t2",
  "q=only",
  "category=none",
  "q=none",
];
const ORDERS = { published: "published_at", approved: "created_at", pending: "created_at" };

for (const [status, field] of Object.entries(ORDERS)) {
  test(`every filter of ${status} articles finds what the filter says`, async () => {
    // The text of pending articles is not searched.
    for (const filter of FILTERS.filter((one) => status !== "pending" || !/\bq=/.test(one))) {
      const query = `?status=${status}&limit=100&${filter}`;
      statements.length = 0;
      const byDefault = await service.list(query);
      assert.deepEqual(
        statements.filter((sql) => /\bIN \(SELECT .* ORDER BY/s.test(sql)),
        [],
        filter,
      );
      // The other direction is sorted by the database.
      const reversed = await service.list(`${query}&sort=${field}`);
      assert.ok(statements.some((sql) => /\bIN \(SELECT .* ORDER BY/s.test(sql)));
      assert.deepEqual(
        byDefault.articles.map(({ id }) => id),
        reversed.articles.map(({ id }) => id).toReversed(),
        filter,
      );
      assert.deepEqual(byDefault.pagination["total"], reversed.pagination["total"]);
      assert.equal(byDefault.pagination["total"], byDefault.articles.length, filter);
      const second = await service.list(`?status=${status}&limit=1&offset=1&${filter}`);
      assert.deepEqual(second.articles, byDefault.articles.slice(1, 2), filter);
    }
  });
}
