import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Snapshot, Store, Writer } from "../../../src/store/store.ts";
import type { TestStore } from "../../helpers/database.ts";

export function testTransactions(open: () => Promise<TestStore>): void {
  describe("transactions", () => {
    let opened: TestStore;
    let store: Store;
    let other: Store;
    before(async () => {
      opened = await open();
      ({ store } = opened);
      other = opened.another();
      await store.write((db) => db.run("CREATE TABLE notes (id TEXT PRIMARY KEY, number BIGINT NOT NULL)"));
    });
    beforeEach(() => store.write((db) => db.run("DELETE FROM notes")));
    after(() => opened[Symbol.asyncDispose]());

    test("a read sees one snapshot, from its first query to its last", async () => {
      await put(store, "a", 1);
      const seen = await store.read(async (db) => {
        const first = await notes(db);
        await put(other, "b", 2);
        await other.write((writer) => writer.run("UPDATE notes SET number = 3 WHERE id = 'a'"));
        return [first, await notes(db)];
      });
      assert.deepEqual(seen, [{ a: 1 }, { a: 1 }]);
      assert.deepEqual(await store.read(notes), { a: 3, b: 2 });
    });

    test("reads that are under way at once do not see each other's snapshots", async () => {
      const slow = Promise.withResolvers<void>();
      const early = store.read(async (db) => {
        const first = await notes(db);
        await slow.promise;
        return [first, await notes(db)];
      });
      await put(other, "a", 1);
      // On SQLite reads of one process take turns: the second one begins when the first has ended.
      const late = store.read(notes);
      slow.resolve();
      const [first, second] = await early;
      assert.deepEqual(first, second);
      assert.deepEqual(await late, { a: 1 });
    });

    test("a write is there for everybody once its promise has resolved, and for nobody before", async () => {
      const before = await store.write(async (db) => {
        await db.run("INSERT INTO notes VALUES ('a', 1)");
        assert.deepEqual(await notes(db), { a: 1 }, "it sees itself");
        return other.read(notes);
      });
      assert.deepEqual(before, {});
      assert.deepEqual(await other.read(notes), { a: 1 });
    });

    test("a write that throws leaves nothing, and says what was thrown", async () => {
      const thrown = new Error("on purpose");
      const write = store.write(async (db) => {
        await db.run("INSERT INTO notes VALUES ('a', 1)");
        throw thrown;
      });
      await assert.rejects(write, thrown);
      assert.deepEqual(await other.read(notes), {});
    });

    test("a read that throws says what was thrown", async () => {
      const thrown = new Error("on purpose");
      await assert.rejects(
        store.read(() => Promise.reject(thrown)),
        thrown,
      );
    });

    test("after a statement that fails, reads and writes go on as before", async () => {
      for (let turn = 0; turn < 12; turn++) {
        await assert.rejects(store.write((db) => db.run("INSERT INTO nothing VALUES (1)")));
        await assert.rejects(store.read((db) => db.all("SELECT nothing FROM nowhere")));
      }
      await put(store, "a", 1);
      assert.deepEqual(await store.read(notes), { a: 1 });
    });

    test("a write that goes on after a statement has failed in it is not committed", async () => {
      const write = store.write(async (db) => {
        await db.run("INSERT INTO notes VALUES ('a', 1)");
        await db.run("INSERT INTO nothing VALUES (1)").catch(() => undefined);
      });
      await assert.rejects(write);
      assert.deepEqual(await other.read(notes), {});
    });

    test("a key that is there already is a conflict", async () => {
      await put(store, "a", 1);
      await assert.rejects(put(other, "a", 2), { code: "conflict" });
      assert.deepEqual(await store.read(notes), { a: 1 });
    });

    test("a write says how many rows it has changed", async () => {
      const counts = await store.write(async (db) => [
        await db.run("INSERT INTO notes VALUES ('a', 1), ('b', 1)"),
        await db.run("UPDATE notes SET number = 2 WHERE id = ?", "a"),
        await db.run("UPDATE notes SET number = 2 WHERE id = ?", "nobody"),
        await db.run("DELETE FROM notes"),
      ]);
      assert.deepEqual(counts, [2, 1, 0, 2]);
    });

    test("a walk sees one snapshot, however long it takes, while others read and write", async () => {
      await put(store, "a", 1);
      {
        await using walk = await store.openSnapshot();
        assert.deepEqual(await notes(walk), { a: 1 });
        for (let turn = 0; turn < 12; turn++) await put(turn % 2 === 0 ? store : other, `b${turn}`, turn);
        assert.equal(Object.keys(await store.read(notes)).length, 13);
        assert.deepEqual(await notes(walk), { a: 1 });
      }
      await using walk = await store.openSnapshot();
      assert.equal(Object.keys(await notes(walk)).length, 13);
    });

    test("a hundred reads and writes at once all come to their end", async () => {
      await Promise.all(
        Array.from({ length: 100 }, (_none, turn) =>
          turn % 2 === 0 ? put(turn % 4 === 0 ? store : other, `n${turn}`, turn) : store.read(notes),
        ),
      );
      assert.equal(Object.keys(await store.read(notes)).length, 50);
    });
  });
}

function put(store: Store, id: string, number: number): Promise<number> {
  return store.write((db: Writer) => db.run("INSERT INTO notes VALUES (?, ?)", id, number));
}

async function notes(db: Snapshot): Promise<Record<string, number>> {
  const rows = await db.all("SELECT id, number FROM notes");
  return Object.fromEntries(rows.map(({ id, number }) => [id, number]));
}
