/** The whole service, with its thread, controlled by the parent. */
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import type { Log } from "../../src/process/log.ts";
import { startService } from "../../src/service/service.ts";
import { readOptions, takeOrders, tell, tellError } from "./child.ts";

const { websiteId } = readOptions();
const app = await openApp(readConfig(process.env, process.cwd()));
const log: Log = {
  // Reports every attempt, successful ones included.
  isVerbose: true,
  finished: () => undefined,
  failed: (_facts, error) => tellError(error, "a request failed"),
  info: () => undefined,
  warn: () => undefined,
  attempt: (facts) => {
    // `report` (src/workers/dispatch/thread.ts) passes the whole record.
    const { deliveryId, number, result } = facts as typeof facts &
      Record<"deliveryId" | "result", string> & { number: number };
    if (result !== "lost") tell({ type: "recorded", attempts: [{ deliveryId, number }] });
  },
  error: (error, message) => tellError(error, message),
  flush: () => undefined,
};
const service = await startService(app, log);
service.setBack.catch((error: unknown) => tellError(error, "the database was put back"));
takeOrders(app, websiteId, async () => {
  await service[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
