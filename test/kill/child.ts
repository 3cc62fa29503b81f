/** What both processes under test share: they receive orders, and acknowledge each one when it is done. */
import { AppError } from "../../src/domain/system/errors.ts";
import type { Deps } from "../../src/operations/system/deps.ts";
import { change } from "./changes.ts";
import type { ChildOptions, FromChild, ToChild } from "./messages.ts";

export function readOptions(): ChildOptions {
  // Written by start-child.ts.
  return JSON.parse(process.argv[2] ?? "") as ChildOptions;
}

export function tell(message: FromChild): void {
  process.send?.(message);
}

export function tellError(error: unknown, what: string): void {
  tell({ type: "error", message: `${what}: ${error instanceof Error ? error.stack : String(error)}` });
}

/** Kills the process before it can do anything else. */
export function killSelf(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("a process that was killed goes on");
}

/** Follows orders until it is told to stop. Ends at once when its parent is gone. */
export function takeOrders(
  deps: Pick<Deps, "store" | "clock" | "newId" | "deriveContent" | "secrets" | "randomBytes">,
  websiteId: string,
  stop: () => Promise<void>,
): void {
  process.on("disconnect", killSelf);
  process.on("message", (message: ToChild) => {
    if (message.type === "stop") {
      void end(stop);
      return;
    }
    const { eventId } = message;
    change(deps, websiteId, message).then(
      (kind) => tell({ type: "acknowledged", eventId, kind }),
      (error: unknown) => {
        if (error instanceof AppError && error.code === "conflict") tell({ type: "refused", eventId });
        else tell({ type: "failed", eventId, ...describe(error) });
      },
    );
  });
  tell({ type: "ready" });
}

function describe(error: unknown): { isAway: boolean; message: string } {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { isAway: error instanceof AppError && error.code === "unavailable", message: `a change failed: ${message}` };
}

/** By then the process should have ended; what keeps it alive is reported. */
const STOPS_WITHIN_MS = 15_000;

async function end(stop: () => Promise<void>): Promise<void> {
  let isStopped = false;
  setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join();
    process.stderr.write(`${isStopped ? "stopped, and still there" : "not stopped yet"}: ${kept}\n`);
  }, STOPS_WITHIN_MS).unref();
  try {
    await stop();
    isStopped = true;
    process.off("disconnect", killSelf);
    process.disconnect?.();
  } catch (error) {
    tellError(error, "it did not stop cleanly");
  }
}
