/** Logs uncaught errors and Node's warnings like all other lines. */
import type { Config } from "./settings/config.ts";
import type { Log } from "./log.ts";

/** Logs an uncaught error before the process ends, and Node's warnings instead of printing them. */
export function logFatalErrors(log: Pick<Log, "error" | "warn" | "flush">): void {
  process.on("uncaughtException", (error, origin) => {
    try {
      log.error(
        error,
        `the process ends: ${origin === "unhandledRejection" ? "unhandled rejection" : "uncaught error"}`,
      );
      log.flush();
    } finally {
      // oxlint-disable-next-line no-restricted-properties -- an uncaught error must end the process, as it does by default
      process.exit(1);
    }
  });
  logWarnings((facts, message) => log.warn(facts, message));
}

/** In a thread: each has warnings of its own. Its log is opened with the first one, to save memory. */
export function logThreadWarnings({ logLevel }: Pick<Config, "logLevel">): void {
  let log: Promise<Log> | undefined;
  logWarnings((facts, message) => {
    log ??= import("./log.ts").then(({ openLog }) => openLog(logLevel));
    void log.then((opened) => opened.warn(facts, message));
  });
}

function logWarnings(warn: Log["warn"]): void {
  // Removes the listener that prints warnings.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => warn({ name, reason: message }, "warning of Node"));
}
