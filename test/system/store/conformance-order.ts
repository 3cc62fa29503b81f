/** Texts are compared by code point, titles by their sort keys, whatever the database would make of a language. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { sortKey } from "../../../src/domain/system/collation.ts";
import { createArticle } from "../../../src/operations/articles/write/articles.ts";
import { createWebsite } from "../../../src/operations/website/websites.ts";
import { isSlugTaken } from "../../../src/store/articles/articles.ts";
import { type ArticleFilter, matchingRows, type Sort } from "../../../src/store/articles/article-queries.ts";
import { searchTokens } from "../../../src/domain/articles/content/measure/search.ts";
import { declareRow } from "../../../src/store/row.ts";
import type { Store } from "../../../src/store/store.ts";
import { CHIEF, makeArticle, TODAY, deriveHere } from "../../helpers/articles.ts";
import type { TestStore } from "../../helpers/database.ts";

/** In their order. ICU would have it otherwise: a before B, and punctuation before all. */
const IN_ORDER = [
  " ",
  "-a",
  "A",
  "B",
  "Z",
  "_",
  "a",
  "a b",
  "a-b",
  "ab",
  "b",
  "z",
  "~",
  "\u00c4",
  "ß",
  "é",
  "я",
  "龙",
  "ﬁ",
  "\u{1f600}",
];

/** Labels that are not the same, and their titles. */
const LABELS = [
  "tea",
  "Tee",
  "thé",
  "the",
  "龙井",
  "龙",
  "🍵",
  "a,b",
  "a",
  "b",
  "I",
  "ı",
  "ß",
  "ss",
  "%",
  "_",
  "a\\b",
  "'",
];

export function testOrder(open: () => Promise<TestStore>): void {
  describe("order and equality of texts", () => {
    let opened: TestStore;
    let store: Store;
    let websiteId: string;
    const titles = new Map<number, string>();
    before(async () => {
      opened = await open();
      ({ store } = opened);
      let made = 0;
      const deps = {
        store,
        clock: () => TODAY,
        newId: () => `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`,
        randomBytes: (size: number) => Buffer.alloc(size, ++made),
        deriveContent: deriveHere,
      };
      websiteId = (await createWebsite(deps, { name: "W", url: null, urlPattern: null }, CLI_ORIGIN)).id;
      // Not in their order.
      for (const label of LABELS.toReversed()) {
        const content = `<p>${label}</p>`;
        const input = makeArticle({
          title: label,
          tags: [label],
          categories: [`In ${label}`],
          content,
          status: "published",
        });
        await createArticle(deps, websiteId, input, CHIEF);
      }
      const rows = await store.read((db) => db.all("SELECT row_no, title FROM articles"));
      for (const { row_no, title } of rows) titles.set(row_no, title);
    });
    after(() => opened[Symbol.asyncDispose]());

    const list = async (filter: ArticleFilter, sort: Sort = { field: "title", descending: false }) => {
      const rows = await store.read((db) => matchingRows(db, websiteId, "published", sort, filter));
      return Array.from(rows, (rowNo) => titles.get(rowNo));
    };

    test("texts are ordered by code point", async () => {
      await store.write(async (db) => {
        await db.run("CREATE TABLE words (word TEXT PRIMARY KEY)");
        for (const word of IN_ORDER.toReversed()) await db.run("INSERT INTO words VALUES (?)", word);
      });
      const words = (sql: string) => store.read((db) => db.all(declareRow<{ word: string }>(sql)));
      assert.deepEqual(
        (await words("SELECT word FROM words ORDER BY word")).map(({ word }) => word),
        IN_ORDER,
      );
      assert.deepEqual((await words("SELECT word FROM words WHERE word > 'a' ORDER BY word LIMIT 1"))[0]?.word, "a b");
      assert.deepEqual((await words("SELECT MAX(word) AS word FROM words"))[0]?.word, "\u{1f600}");
    });

    test("titles are in alphabetical order, without regard to case", async () => {
      const byId = LABELS.toReversed();
      assert.deepEqual(await list({}), byId.toSorted(byTitle));
      assert.deepEqual(
        await list({}, { field: "title", descending: true }),
        byId.toSorted((a, b) => byTitle(b, a)),
      );
    });

    for (const label of LABELS) {
      test(`a label finds what has it, and nothing else: ${label}`, async () => {
        assert.deepEqual(await list({ tag: label }), [label]);
        assert.deepEqual(await list({ category: `IN ${label}` }), [label]);
      });
    }

    test("a search finds what has the words, and nothing else", async () => {
      const all = LABELS.map((label) => ({ label, words: searchTokens(label) })).filter(
        ({ words }) => words.length > 0,
      );
      assert.ok(all.length > 8);
      for (const { words } of all) {
        const expected = all.filter((one) =>
          words.every((word) => searchTokens(`${one.label} ${one.label}`).includes(word)),
        );
        const found = await list({ words });
        for (const { label } of expected) assert.ok(found.includes(label), `${words.join(" ")} finds ${label}`);
      }
      assert.deepEqual(await list({ words: searchTokens("nowhere") }), []);
      assert.deepEqual(await list({ words: searchTokens("THÉ") }), await list({ words: searchTokens("the") }));
    });

    test("a slug is taken when it is the same, not when it is alike", async () => {
      for (const [slug, expected] of [
        ["tea", true],
        ["Tea", false],
        ["tea\u0301", false],
      ] as const) {
        assert.equal(await store.read((db) => isSlugTaken(db, websiteId, slug, "nobody")), expected);
      }
    });
  });
}

function byTitle(one: string, other: string): number {
  return Buffer.compare(Buffer.from(sortKey(one, null)), Buffer.from(sortKey(other, null)));
}
