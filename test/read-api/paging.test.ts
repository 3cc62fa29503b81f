/** docs/specification.md, 4.1: a total order, so that paging never repeats or skips an article. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle, TODAY } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";

const TOTAL = 250;

let service: TestService;
/** Ids in the order of docs/specification.md, 4.1. */
const expected = { published: [] as string[], approved: [] as string[], pending: [] as string[] };

before(async () => {
  service = await startTestService();
  // Many equal times, and the order of ids, of creation and of publication all differ.
  const made = Array.from({ length: TOTAL * 3 }, (_none, index) => ({
    id: service.app.newId().replace(/^.{8}/, ((index * 2_654_435_761) >>> 0).toString(16).padStart(8, "0")),
    status: (["published", "approved", "pending"] as const)[index % 3] ?? "pending",
    createdAt: TODAY + ((index * 7) % 5),
    publishedAt: TODAY - ((index * 11) % 4),
    tag: index % 2 === 0 ? "even" : "odd",
  }));
  async function* items(): AsyncGenerator<ImportItem> {
    for (const { tag, ...one } of made) {
      const input = makeArticle({ ...one, tags: [tag] });
      yield { kind: "draft", source: one.id, ref: one.id, input };
    }
  }
  const options = { events: false, dryRun: false, actor: CHIEF };
  const { failed, created } = await importArticles(service.app, service.website.id, items(), options);
  assert.deepEqual([failed, created], [[], TOTAL * 3]);
  for (const status of ["published", "approved", "pending"] as const) {
    const at = status === "published" ? "publishedAt" : "createdAt";
    expected[status] = made
      .filter((one) => one.status === status)
      .sort((a, b) => b[at] - a[at] || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
  }
});
after(() => service[Symbol.asyncDispose]());

async function walk(query: string, limit: number): Promise<{ ids: unknown[]; totals: Set<unknown> }> {
  const ids: unknown[] = [];
  const totals = new Set<unknown>();
  for (let offset = 0; ; offset += limit) {
    const { articles, pagination } = await service.list(`?${query}&limit=${limit}&offset=${offset}`);
    totals.add(pagination["total"]);
    assert.deepEqual([pagination["limit"], pagination["offset"]], [limit, offset]);
    if (articles.length === 0) return { ids, totals };
    ids.push(...articles.map((one) => one["id"]));
  }
}

for (const status of ["published", "approved", "pending"] as const) {
  describe(`the list of ${status} articles`, () => {
    test("is newest first and then by id, whatever the size of a page", async () => {
      for (const limit of [1, 3, 7, 50, 99, 100]) {
        const { ids, totals } = await walk(`status=${status}`, limit);
        assert.deepEqual(ids, expected[status], `limit ${limit}`);
        assert.deepEqual([...totals], [TOTAL], `limit ${limit}`);
      }
    });

    test("keeps its order with a filter, and its total counts the matching articles", async () => {
      const all = await walk(`status=${status}`, 100);
      const even = await walk(`status=${status}&tag=even`, 40);
      const odd = await walk(`status=${status}&tag=odd`, 40);
      assert.deepEqual([...even.totals][0], even.ids.length);
      assert.deepEqual(
        all.ids.filter((id) => even.ids.includes(id)),
        even.ids,
      );
      assert.deepEqual(
        all.ids.filter((id) => odd.ids.includes(id)),
        odd.ids,
      );
      assert.equal(even.ids.length + odd.ids.length, TOTAL);
    });

    test("is complete in every page of every limit at every offset around its end", async () => {
      for (const limit of [1, 2, 50, 100]) {
        for (const offset of [TOTAL - 2, TOTAL - 1, TOTAL, TOTAL + 1, 10_000_000]) {
          const { articles, pagination } = await service.list(`?status=${status}&limit=${limit}&offset=${offset}`);
          assert.deepEqual(
            articles.map((one) => one["id"]),
            expected[status].slice(offset, offset + limit),
          );
          assert.equal(pagination["total"], TOTAL);
        }
      }
    });
  });
}

test("an offset past the end is 200 with an empty list and the true total", async () => {
  for (const offset of ["250", "251", "9007199254740991", "99999999999999999999"]) {
    const { articles, pagination } = await service.list(`?offset=${offset}`);
    assert.deepEqual([articles, pagination["total"]], [[], TOTAL], offset);
  }
});

const SORTS = ["published_at", "created_at", "updated_at", "title"] as const;
for (const field of SORTS) {
  // When an article was updated is not on the wire.
  const key = (one: Record<string, unknown>) => JSON.stringify(one[field] ?? "").toLowerCase();

  test(`sort=${field} and sort=-${field} order by it, then by id, and every article is there once`, async () => {
    for (const sort of [field, `-${field}`]) {
      const { ids } = await walk(`sort=${sort}`, 60);
      assert.equal(ids.length, TOTAL, sort);
      assert.deepEqual(new Set(ids), new Set(expected.published), sort);
      const { articles } = await service.list(`?sort=${sort}&limit=100`);
      for (const [index, one] of articles.slice(1).entries()) {
        const before = articles[index] ?? {};
        const [a, b] = [key(before), key(one)];
        assert.ok(sort.startsWith("-") ? a >= b : a <= b, `${sort}: ${a} before ${b}`);
        if (a === b && field !== "updated_at") assert.ok(String(before["id"]) < String(one["id"]), sort);
      }
    }
  });
}
