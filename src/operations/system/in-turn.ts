import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "../../domain/system/errors.ts";

const MAX_TRIES = 240;
const TRY_AGAIN_AFTER_MS = 250;

/**
 * Prepares a text that is one of many and that nobody would send again: waits while too much of its website's work is in
 * progress.
 *
 * @throws AppError `busy` when that takes a minute.
 */
export async function inTurn<T>(prepare: () => Promise<T>): Promise<T> {
  for (let left = MAX_TRIES; left > 1; left--) {
    try {
      return await prepare();
    } catch (error) {
      if (!isBusy(error)) throw error;
      await sleep(TRY_AGAIN_AFTER_MS);
    }
  }
  return prepare();
}
