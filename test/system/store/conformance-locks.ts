import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { declareRow } from "../../../src/store/row.ts";
import type { Store } from "../../../src/store/store.ts";
import { lockWebsite } from "../../../src/store/system/websites.ts";
import type { TestStore } from "../../helpers/database.ts";
import { insertTwoWebsites } from "./two-websites.ts";

export function testLocks(open: () => Promise<TestStore>): void {
  describe("locks", () => {
    let opened: TestStore;
    let store: Store;
    let other: Store;
    before(async () => {
      opened = await open();
      ({ store } = opened);
      other = opened.another();
      await store.write(async (db) => {
        await db.run("CREATE TABLE counters (id TEXT PRIMARY KEY, number BIGINT NOT NULL)");
        await db.run("INSERT INTO counters VALUES ('a', 0), ('b', 0), ('c', 0)");
        await insertTwoWebsites(db);
      });
    });
    after(() => opened[Symbol.asyncDispose]());

    const numberOf = async (id: string) =>
      (await store.read((db) => db.get("SELECT number FROM counters WHERE id = ?", id)))?.number;

    test("whoever locks the website decides by what is stored, and no change is lost", async () => {
      await Promise.all(Array.from({ length: 60 }, (_none, turn) => raise(turn % 2 === 0 ? store : other)));
      assert.equal(await numberOf("a"), 60);
    });

    test("writers of one website wait for each other, in whatever process they are", async () => {
      const order: string[] = [];
      const held = Promise.withResolvers<void>();
      const first = store.write(async (db) => {
        await lockWebsite(db, "one");
        held.resolve();
        order.push("first begins");
        await db.run("UPDATE counters SET number = number + 1 WHERE id = 'b'");
        await db.all("SELECT 1 AS one");
        order.push("first ends");
      });
      await held.promise;
      const second = other.write(async (db) => {
        await lockWebsite(db, "one");
        order.push("second begins");
        await db.run("UPDATE counters SET number = number + 1 WHERE id = 'b'");
      });
      await Promise.all([first, second]);
      assert.deepEqual(order, ["first begins", "first ends", "second begins"]);
    });

    test("two writers that wait for each other both come to their end, each as if it had been alone", async () => {
      let runs = 0;
      const met = meeting();
      const write = (by: Store, ids: readonly [string, string]) => {
        let isFirst = true;
        return by.write(async (db) => {
          runs++;
          await db.run("UPDATE counters SET number = number + 1 WHERE id = ?", ids[0]);
          // On SQLite the second one has not begun.
          if (isFirst && store.engine === "postgres") await met();
          isFirst = false;
          await db.run("UPDATE counters SET number = number * 2 WHERE id = ?", ids[1]);
        });
      };
      await store.write((db) => db.run("UPDATE counters SET number = 1"));
      await Promise.all([write(store, ["a", "b"]), write(other, ["b", "a"])]);
      // One after the other: a is (1 + 1) * 2 and b 1 * 2 + 1, or the other way round.
      assert.deepEqual([await numberOf("a"), await numberOf("b")].map(String).toSorted(), ["3", "4"]);
      assert.ok(store.engine === "sqlite" ? runs === 2 : runs > 2, `${runs} runs`);
    });

    test("an error that was thrown on purpose is not tried again", async () => {
      let runs = 0;
      const write = store.write(async (db) => {
        runs++;
        await db.run("UPDATE counters SET number = 7 WHERE id = 'c'");
        throw new Error("on purpose");
      });
      await assert.rejects(write, { message: "on purpose" });
      assert.equal(runs, 1);
    });
  });
}

/** Resolves for both once two have come. */
function meeting(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let came = 0;
  return () => {
    if (++came === 2) resolve();
    return promise;
  };
}

function raise(by: Store): Promise<number> {
  return by.write(async (db) => {
    await lockWebsite(db, "one");
    const row = await db.get(declareRow<{ number: number }>("SELECT number FROM counters WHERE id = 'a'"));
    return db.run("UPDATE counters SET number = ? WHERE id = 'a'", (row?.number ?? 0) + 1);
  });
}
