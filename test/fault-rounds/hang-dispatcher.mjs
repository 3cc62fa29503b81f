/**
 * Loaded into every thread of a node by NODE_OPTIONS. The thread that delivers webhooks blocks for good as soon as the file
 * exists that FAULT_ROUNDS_HANG names; the file is removed, so that the next thread does not.
 */
import { existsSync, rmSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const CHECK_EVERY_MS = 50;
const file = process.env.FAULT_ROUNDS_HANG;

if (!isMainThread && file !== undefined && /\/dispatch\/worker\.[jt]s$/.test(process.argv[1] ?? "")) {
  setInterval(() => {
    if (!existsSync(file)) return;
    rmSync(file);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }, CHECK_EVERY_MS).unref();
}
