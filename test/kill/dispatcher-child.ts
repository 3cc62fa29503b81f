/** The dispatcher without its thread, so that its parts can be observed and modified. */
import { randomBytes } from "node:crypto";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { reclaimLeases } from "../../src/operations/webhooks/queue-maintenance.ts";
import { Dispatcher } from "../../src/webhooks/dispatch/dispatcher.ts";
import { killSelf, readOptions, takeOrders, tell, tellError } from "./child.ts";
import { planted, skipFsync } from "./planted-bugs.ts";
import { withPoints } from "./kill-points.ts";
import { noteSynced } from "./power.ts";

const STOP_GRACE_MS = 2_000;

const { websiteId, secrets, point, occurrence, plant, notesSynced } = readOptions();
const config = readConfig(process.env, process.cwd());
if (notesSynced && config.database.kind === "sqlite") noteSynced(config.database.path);
if (plant === "skip the fsync") skipFsync();
let passed = 0;
const app = await openApp(config);
const watched = withPoints(app, (here) => {
  if (here === point && ++passed === occurrence) killSelf();
});
const deps = planted(watched, plant, {
  secrets,
  acknowledge: (eventId, kind) => tell({ type: "acknowledged", eventId, kind }),
});
const worker = `${process.pid}-${randomBytes(6).toString("hex")}`;
const dispatcher = new Dispatcher({
  deps,
  policy: config.webhooks,
  saveReceipt,
  random: Math.random,
  worker,
  onRecorded: (results) => {
    const attempts = results
      .filter(({ result }) => result !== "lost")
      .map(({ record }) => ({ deliveryId: record.claim.deliveryId, number: record.attempt.number }));
    tell({ type: "recorded", attempts });
  },
  onError: tellError,
});
// Starts like the service's thread (src/workers/dispatch/worker.ts). Only one such process runs at a time.
if (plant !== "leave the leases of the dead") await reclaimLeases(deps, (holder) => holder === worker);
deps.store.onCommit(() => dispatcher.wake());
dispatcher.start();
takeOrders(deps, websiteId, async () => {
  await dispatcher.stop(STOP_GRACE_MS);
  await app[Symbol.asyncDispose]();
});
