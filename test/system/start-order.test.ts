/** What the service does before it listens, and what afterwards. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import type { Writer } from "../../src/store/store.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { people } from "../people/dashboard.ts";
import { recordSql } from "../postgres/plans.ts";

test("readers are answered before the dashboard's API is loaded", async () => {
  const port = await freePort();
  const listening: Promise<boolean>[] = [];
  const note = (sql: string) => {
    if (sql === "SELECT 1 FROM accounts LIMIT 1") listening.push(isListening(port));
  };
  const change = changeStore((store) => ({ read: (work) => store.read((db) => work(recordSql(db as Writer, note))) }));
  await using service = await startTestService({ PORT: String(port) }, change);
  await until("the dashboard is loaded", () => listening.length > 0);
  assert.deepEqual(await Promise.all(listening), [true]);
  using all = people(service);
  assert.equal((await (await all.owner()).send("GET", "/session")).status, 200);
  assert.deepEqual(service.log.failures, []);
});

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
