import { Worker } from "node:worker_threads";

const CHECK_INTERVAL_MS = 500;

/**
 * Kills this process soon after the one that started it has died. While a text is worked out the event loop does not learn
 * that the channel is closed, so a thread asks for the parent: 10 MB, 30 ms of CPU time once, 0.6 ms a second. It is plain
 * JavaScript, so that it need not load what removes types.
 */
export function endWithParent(): void {
  const { pid, ppid } = process;
  const code = `setInterval(() => process.ppid === ${ppid} || process.kill(${pid}, "SIGKILL"), ${CHECK_INTERVAL_MS})`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };
  const thread = new Worker(code, { eval: true, env: {}, execArgv: [], resourceLimits });
  thread.unref();
  // Without it the process ends after its text.
  thread.on("error", () => undefined);
}
