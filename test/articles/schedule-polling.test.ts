/** A service asks for scheduled articles when one may be due, and not while nothing happens. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createArticle, scheduleArticle } from "../../src/operations/articles/write/articles.ts";
import type { Deps } from "../../src/operations/system/deps.ts";
import { Schedule } from "../../src/operations/articles/write/schedule.ts";
import { CHIEF, FUTURE, makeArticle, withClock } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import type { Database } from "../../src/store/store.ts";
import { wrapStore } from "../helpers/wrap-store.ts";

const HOUR = 3_600_000;

let service: TestService;
let deps: Deps & { store: Database; now: number };
let due: Schedule;
let reads = 0;

before(async () => {
  service = await startTestService();
  const { store } = service.app;
  deps = withClock(
    {
      ...service.app,
      store: wrapStore(store, {
        read: (work) => {
          reads++;
          return store.read(work);
        },
      }),
    },
    FUTURE,
  );
  due = new Schedule(deps);
  await until("it has the duty", () => store.isLeader());
});
after(() => service[Symbol.asyncDispose]());

/** Waits until all commits were seen. */
async function settle(): Promise<void> {
  await until("nothing is asked any more", async () => {
    const before = reads;
    for (let times = 0; times < 20; times++) {
      await due.publish();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return reads === before;
  });
}

async function schedule(at: number): Promise<void> {
  const { article } = await createArticle(deps, service.website.id, makeArticle({ status: "approved" }), CHIEF);
  await scheduleArticle(deps, article.id, at, CHIEF);
}

test("an article is published at its time although nobody has committed anything since it was scheduled", async () => {
  await schedule(deps.now + 2 * HOUR);
  await schedule(deps.now + HOUR);
  await settle();
  for (const [wait, count] of [
    [HOUR - 1, 0],
    [1, 1],
    [HOUR - 1, 0],
    [1, 1],
  ] as const) {
    deps.now += wait;
    assert.equal(await due.publish(), count);
  }
});

test("while nothing is scheduled and nobody commits, the store is queried only rarely", async () => {
  await settle();
  const before = reads;
  for (let times = 0; times < 50; times++) {
    deps.now += 100;
    await due.publish();
  }
  assert.equal(reads - before, 0);
  deps.now += HOUR;
  await due.publish();
  assert.equal(reads - before, 1);
});

test("an article that is scheduled meanwhile is published at its time", async () => {
  await settle();
  await schedule(deps.now + 1_000);
  deps.now += 1_000;
  await until("it is published", async () => (await due.publish()) === 1);
});
