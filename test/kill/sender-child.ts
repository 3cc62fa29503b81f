/** A process that receives what a sender delivers, until it is killed: at a named point by itself, or as a whole service. */
import { readArrival } from "../../src/importers/senders/read-arrival.ts";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import {
  type ArrivalDeps,
  arrivalTurns,
  finishWaiting,
  receive,
} from "../../src/operations/articles/senders/receive.ts";
import { startService } from "../../src/service/service.ts";
import { findSenderAnywhere } from "../../src/store/articles/senders/senders.ts";
import type { Log } from "../../src/process/log.ts";
import { deriveHere } from "../helpers/articles.ts";
import { killSelf } from "./child.ts";
import { watchWrites } from "./kill-points.ts";
import type { Delivery, FromSenderChild, SenderChildOptions, SenderPoint } from "./sender-messages.ts";

/** What a transaction does, judged by its statements. */
const SIGNS = {
  storing: /^\s*INSERT INTO arrivals\b/,
  article: /^\s*INSERT INTO revisions\b/,
  outcome: /^\s*UPDATE arrivals SET state\b/,
} as const;

async function work(): Promise<void> {
  // Written by sender-loop.ts.
  const options = JSON.parse(process.argv[2] ?? "") as SenderChildOptions;
  const config = readConfig(process.env, process.cwd());
  const app = await openApp(config);
  if (options.point === null) {
    const { url } = await startService(app, LOG);
    tell({ type: "ready", url });
    return;
  }
  let passes = 0;
  const pass = (point: SenderPoint) => {
    if (point === options.point && ++passes === options.occurrence) killSelf();
  };
  const deps: ArrivalDeps = {
    ...app,
    clock: () => app.clock() + options.aheadMs,
    store: watchWrites(app.store, SIGNS, pass),
    deriveContent: deriveHere,
    readArrival: async (_websiteId, arrival) => {
      pass("before the reading");
      const understood = readArrival(arrival);
      pass("after the reading");
      return understood;
    },
    turns: arrivalTurns(),
    onError: (error, message) => tellError(error, message),
  };
  const sender = await app.store.read((db) => findSenderAnywhere(db, options.senderId));
  if (sender === undefined) throw new Error("there is no sender");
  await finishWaiting(deps);
  process.on("message", ({ number, body }: Delivery) => {
    const request = { method: "POST", path: "", query: {}, headers: { "content-type": "application/json" } };
    receive(deps, sender, request, Buffer.from(body)).then(
      () => tell({ type: "acknowledged", number }),
      (error: unknown) => tellError(error, "a delivery failed"),
    );
  });
  tell({ type: "ready", url: null });
}

function tell(message: FromSenderChild): void {
  process.send?.(message);
}

function tellError(error: unknown, what: string): void {
  tell({ type: "error", message: `${what}: ${error instanceof Error ? error.stack : String(error)}` });
}

const LOG: Log = {
  isVerbose: false,
  finished: () => undefined,
  failed: (_facts, error) => tellError(error, "a request failed"),
  info: () => undefined,
  warn: () => undefined,
  attempt: () => undefined,
  error: (error, message) => tellError(error, message),
  flush: () => undefined,
};

process.on("disconnect", killSelf);
await work();
