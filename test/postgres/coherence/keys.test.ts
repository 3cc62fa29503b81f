import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { revokeKey } from "../../../src/operations/people/api-keys.ts";
import { LIST } from "../../helpers/service.ts";
import { until } from "../../helpers/until.ts";
import type { Node } from "./nodes.ts";
import { deafen } from "./faults.ts";
import { openWorld, statusWithin, type World } from "./world.ts";

const WITHIN_MS = 1_000;
/** How long to check that a refused key stays refused. */
const WATCHED_MS = 1_500;
/** The service allows an address only a hundred refusals an hour. */
const POLL_INTERVAL_MS = 60;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

function status(node: Node, secret: string): Promise<number | "none"> {
  return statusWithin(150, world.get(node, LIST, { "X-API-Key": secret }));
}

/** Creates a key that every node knows and answers from memory. */
async function warm(secret: string): Promise<void> {
  for (const node of world.nodes) {
    for (let times = 0; times < 3; times++) {
      assert.equal((await world.get(node, LIST, { "X-API-Key": secret })).status, 200);
    }
  }
}

/** @returns for how many milliseconds each node still accepted the key. */
async function acceptedFor(secret: string, since: number): Promise<number[]> {
  return Promise.all(
    world.nodes.map(async (node) => {
      let lastMs = 0;
      while (performance.now() - since < WATCHED_MS) {
        const sentMs = performance.now() - since;
        if ((await status(node, secret)) === 200) lastMs = sentMs;
        await wait(POLL_INTERVAL_MS);
      }
      return lastMs;
    }),
  );
}

async function assertRefusedInTime(secret: string, since: number): Promise<void> {
  const ms = await acceptedFor(secret, since);
  assert.ok(
    ms.every((one) => one < WITHIN_MS),
    `accepted for ${ms.map(Math.round).join(", ")} ms`,
  );
}

async function assertRefusedByName(secret: string, nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) assert.equal((await world.get(node, LIST, { "X-API-Key": secret })).status, 401);
}

describe("a revoked key is refused on every node within a second", () => {
  test("by nodes that are connected to each other", async () => {
    const { id, secret } = await world.newKey();
    await warm(secret);
    await revokeKey(world.app, id, CLI_ORIGIN);
    await assertRefusedInTime(secret, performance.now());
    await assertRefusedByName(secret, world.nodes);
  });

  test("by nodes that have just lost their notification connection", async () => {
    const { id, secret } = await world.newKey();
    await warm(secret);
    assert.equal(await deafen(world.databaseUrl), 3);
    await revokeKey(world.app, id, CLI_ORIGIN);
    await assertRefusedInTime(secret, performance.now());
    await assertRefusedByName(secret, world.nodes);
  });

  test("by a node that cannot reach the database, because it serves nothing from memory", async () => {
    const { id, secret } = await world.newKey();
    await warm(secret);
    const [node] = world.nodes;
    node.proxy.mode = "freeze";
    await revokeKey(world.app, id, CLI_ORIGIN);
    await assertRefusedInTime(secret, performance.now());
    assert.notEqual(await status(node, secret), 200);
    node.proxy.thaw();
    await until("the node refuses it by its right name", async () => (await status(node, secret)) === 401, 5_000);
  });
});

test("an expired key is refused by every node, even one that is cut off", async () => {
  const expiresAt = Date.now() + 1_500;
  const { secret } = await world.newKey({ expiresAt });
  await warm(secret);
  const [first, node, third] = world.nodes;
  node.proxy.mode = "freeze";
  await until("it has expired", () => Date.now() > expiresAt);
  const found = await status(node, secret);
  node.proxy.thaw();
  assert.notEqual(found, 200);
  await assertRefusedByName(secret, [first, third]);
  await until("the node refuses it by its right name", async () => (await status(node, secret)) === 401, 5_000);
});

test("a new key is accepted on every node at once", async () => {
  for (let made = 0; made < 10; made++) {
    const { secret } = await world.newKey();
    const replies = await Promise.all(world.nodes.map((node) => world.get(node, LIST, { "X-API-Key": secret })));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
  }
});
