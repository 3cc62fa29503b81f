/** node:test for journeys: skips them without Chromium, and reports both errors if a page logged one as well. */
import { after, before, test as nodeTest } from "node:test";
import { inspect } from "node:util";
import { WITHOUT_CHROMIUM as skip } from "../helpers/chromium.ts";

export function test(name: string, run: () => Promise<void>): void {
  nodeTest(name, { skip }, () => explained(run));
}

/** Starts what all tests of a file share before the first, and stops it after the last. @returns a function that returns it. */
export function shared<T extends AsyncDisposable>(start: () => Promise<T>): () => T {
  let started: T | undefined;
  before(async () => {
    if (skip === false) started = await explained(start);
  });
  after(async () => started?.[Symbol.asyncDispose]());
  return () => {
    if (started === undefined) throw new Error("it has not been started");
    return started;
  };
}

/** Names both errors of a `SuppressedError`, whose own message names neither. */
export async function explained<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SuppressedError)) throw error;
    throw new Error(reasonsOf(error).join("\n\nBesides: "), { cause: error });
  }
}

/** The first one first. */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof SuppressedError)) return [inspect(error, { depth: 5 })];
  return [...reasonsOf(error.suppressed), ...reasonsOf(error.error)];
}
