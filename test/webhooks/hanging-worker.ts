/** The thread that delivers webhooks; it blocks for good when a test posts to HANG_CHANNEL. */
import { BroadcastChannel, isMainThread } from "node:worker_threads";
import "../../src/workers/dispatch/worker.ts";

export const HANG_CHANNEL = "rostrum-test-hang";

/** Exported, so that it lives as long as the thread. */
export const channel = isMainThread ? undefined : new BroadcastChannel(HANG_CHANNEL);
channel?.addEventListener("message", () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
channel?.unref();
