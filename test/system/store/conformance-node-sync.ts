import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { raiseContentVersion } from "../../../src/store/system/websites.ts";
import type { Database } from "../../../src/store/store.ts";
import type { TestStore } from "../../helpers/database.ts";
import { until } from "../../helpers/until.ts";
import { insertTwoWebsites } from "./two-websites.ts";

export function testFollowing(open: () => Promise<TestStore>): void {
  describe("freshness and activity", () => {
    let opened: TestStore;
    let store: Database;
    let other: Database;
    let following: AsyncDisposable;
    before(async () => {
      opened = await open();
      ({ store } = opened);
      other = opened.another();
      await store.write(insertTwoWebsites);
      following = await store.followCommits((error) => assert.fail(String(error)));
    });
    after(async () => {
      await following[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    });

    const version = async () =>
      (await store.read((db) => db.get("SELECT content_version AS v FROM websites WHERE id = 'one'")))?.v;
    /** A number that has been the same for as long as anybody could have told of a change. */
    const settled = async () => {
      let number = store.changeToken("one");
      let since = performance.now();
      await until("the freshness stands still", () => {
        if (store.changeToken("one") !== number) [number, since] = [store.changeToken("one"), performance.now()];
        return performance.now() - since > 400;
      });
      return number;
    };

    test("it stands still while nobody commits", async () => {
      const number = await settled();
      for (let turn = 0; turn < 20; turn++) await version();
      assert.equal(store.changeToken("one"), number);
    });

    test("it changes as soon as this process has committed a change", async () => {
      for (let turn = 0; turn < 20; turn++) {
        const number = store.changeToken("one");
        await change(store);
        assert.notEqual(store.changeToken("one"), number);
      }
    });

    test("a change of this process makes it another number once", async () => {
      await settled();
      await change(store);
      const number = store.changeToken("one");
      assert.equal(await settled(), number);
    });

    test("it is another number soon after another process has committed a change, which a read then sees", async () => {
      for (let turn = 0; turn < 5; turn++) {
        const number = await settled();
        const after = await change(other);
        await until("the change is heard of", () => store.changeToken("one") !== number);
        assert.equal(await version(), after);
      }
    });

    test("it is never the same again", async () => {
      const seen = new Set([store.changeToken("one")]);
      for (let turn = 1; turn <= 20; turn++) {
        await change(turn % 2 === 0 ? store : other);
        await until("the change is heard of", () => !seen.has(store.changeToken("one")));
        seen.add(store.changeToken("one"));
      }
      assert.ok(seen.size > 20);
    });

    test("a write that throws has changed nothing for a reader", async () => {
      const number = await settled();
      const write = store.write(async (db) => {
        await raiseContentVersion(db, "one");
        throw new Error("on purpose");
      });
      await assert.rejects(write);
      assert.equal(store.changeToken("one"), number);
    });

    test("the commit counter changes with each commit, and listeners are called", async () => {
      let calls = 0;
      store.onCommit(() => calls++);
      const before = store.commitCounter();
      await change(store);
      assert.ok(calls >= 1);
      await until("it is another number", () => store.commitCounter() !== before);
      const next = store.commitCounter();
      await change(other);
      await until("it is another number", () => store.commitCounter() !== next);
    });

    test("what is done once, whoever does it, is somebody's", async () => {
      await until("it is this one's", () => store.isLeader());
    });
  });
}

function change(by: Database): Promise<number> {
  return by.write((db) => raiseContentVersion(db, "one"));
}
