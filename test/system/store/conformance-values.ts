import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Store, Value } from "../../../src/store/store.ts";
import type { TestStore } from "../../helpers/database.ts";
import { anyCharacter } from "../../helpers/any-character.ts";
import { cases, fc } from "../../helpers/properties.ts";

const TEXTS: readonly [name: string, text: string][] = [
  ["nothing", ""],
  ["a space at each end", " a "],
  ["quotes", `'"\`''""`],
  ["backslashes", "\\ \\\\ \\n \\0 \\x00 \\u0000 %s $1 ? :a @a"],
  ["what looks like NULL", "NULL"],
  ["line ends", "\r\n\n\r\t\u2028\u2029"],
  ["control characters", Array.from({ length: 31 }, (_none, index) => String.fromCodePoint(index + 1)).join("")],
  ["a byte order mark", "\ufeffa"],
  ["noncharacters", "\uffff\ufffe\u{1fffe}\u{10ffff}"],
  ["emoji", "👩‍👩‍👧 🏳️‍🌈 🇪🇺"],
  ["accents, composed and not", "e\u0301 \u00e9 \u212b \u00c5 \ufb01"],
  ["Chinese, Arabic, Hebrew, Thai", "龙井茶 شاي תה ชา"],
  ["2 MB", "aé漢😀".repeat(200_000)],
];

const NUMBERS = [
  0,
  1,
  -1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  Date.now(),
];

export function testValues(open: () => Promise<TestStore>): void {
  describe("values", () => {
    let opened: TestStore;
    let store: Store;
    before(async () => {
      opened = await open();
      ({ store } = opened);
      await store.write((db) => db.run("CREATE TABLE things (text TEXT, number BIGINT, real REAL)"));
    });
    after(() => opened[Symbol.asyncDispose]());

    /** What comes back of one row, and whether it is found by its text. */
    const keep = (text: Value, number: Value = null, real: Value = null) =>
      store.write(async (db) => {
        await db.run("DELETE FROM things");
        await db.run("INSERT INTO things (text, number, real) VALUES (?, ?, ?)", text, number, real);
        const row = await db.get("SELECT text, number, real FROM things");
        assert.ok(row !== undefined);
        const found = await db.all("SELECT 1 AS one FROM things WHERE text = ?", text);
        return { ...row, isFound: found.length === 1 };
      });

    for (const [name, text] of TEXTS) {
      test(`a text comes back as it was, and is found by itself: ${name}`, async () => {
        const kept = await keep(text);
        assert.ok(kept.text === text);
        assert.ok(kept.isFound);
      });
    }

    test("any text comes back as it was", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 40 }), async (any) => {
          const text = any.toWellFormed().replaceAll("\0", "");
          assert.equal((await keep(text)).text, text);
        }),
        { numRuns: cases(60) },
      );
    });

    test("half a surrogate pair becomes a replacement character", async () => {
      assert.equal((await keep("a\ud800b\udc00c")).text, "a\ufffdb\ufffdc");
    });

    test("NUL is refused in a sentence, when it is written and when it is asked for, and does no harm", async () => {
      await keep("before");
      const said = { code: "invalid", message: "A text holds a NUL character: remove it." };
      await assert.rejects(keep("a\0b"), said);
      await assert.rejects(
        store.read((db) => db.get("SELECT 1 AS one FROM things WHERE text = ?", "\0")),
        said,
      );
      const texts = await store.read((db) => db.all("SELECT text FROM things"));
      assert.deepEqual(
        texts.map(({ text }) => text),
        ["before"],
      );
    });

    for (const number of NUMBERS) {
      test(`a number comes back as it was: ${number}`, async () => {
        assert.equal((await keep(null, number)).number, number);
      });
    }

    test("a fraction comes back as it was, to its last digit", async () => {
      for (const real of [0.1, 1 / 3, 1e-7, 12_345.678_9, 5]) assert.equal((await keep(null, null, real)).real, real);
    });

    test("null comes back as null, and is equal to nothing", async () => {
      assert.deepEqual(await keep(null), { text: null, number: null, real: null, isFound: false });
    });

    test("counts, sums, smallest and greatest are numbers", async () => {
      const row = await store.read((db) =>
        db.get(
          `SELECT COUNT(*) AS n, SUM(number) AS sum, MAX(number) AS most, MIN(number) AS least
           FROM (SELECT 9007199254740000 AS number UNION ALL SELECT 991) AS numbers`,
        ),
      );
      assert.deepEqual(
        { ...(row as object) },
        { n: 2, sum: Number.MAX_SAFE_INTEGER, most: 9_007_199_254_740_000, least: 991 },
      );
    });

    for (const count of [0, 1, 2, 100_000]) {
      test(`${count} row numbers come back in their order`, async () => {
        const rows = await store.read((db) =>
          db.rowNumbers(
            `WITH RECURSIVE n (row_no) AS (
               SELECT CAST(1 AS BIGINT) UNION ALL SELECT row_no + 1 FROM n WHERE row_no < CAST(? AS BIGINT)
             ) SELECT row_no FROM n WHERE row_no <= ? ORDER BY row_no % 10, row_no DESC`,
            count,
            count,
          ),
        );
        const expected = Array.from({ length: count }, (_none, index) => index + 1);
        expected.sort((a, b) => (a % 10) - (b % 10) || b - a);
        assert.deepEqual(rows, Uint32Array.from(expected));
      });
    }

    test("the largest row number that an order holds comes back", async () => {
      const rows = await store.read((db) => db.rowNumbers("SELECT CAST(4294967295 AS BIGINT) AS row_no"));
      assert.deepEqual(rows, Uint32Array.of(4_294_967_295));
    });
  });
}
