/**
 * What always fails must not stop a loop: a batch that fails, but for an outage, is repeated item by item. An item that
 * fails alone is set aside: it becomes a dead letter, is logged and counted, and is skipped from then on.
 */
import type { DeadLetterKind } from "../../domain/system/dead-letter.ts";
import { foreignLine } from "../../domain/system/foreign-text.ts";
import { type DeadLetter, listDeadLetters as listRows, saveDeadLetter } from "../../store/system/dead-letters.ts";
import { isOutage } from "../../store/system/outage.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps } from "./deps.ts";

const MAX_REASON = 1_000;

export type OnError = (error: unknown, message: string) => void;

export interface SetAside {
  kind: DeadLetterKind;
  subjectId: string;
  websiteId: string | null;
  error: unknown;
}

/** Saves the dead letter. Call it in the transaction that removes the item from its queue. */
export function saveSetAside(db: Writer, deps: Pick<Deps, "clock">, { error, ...letter }: SetAside): Promise<void> {
  return saveDeadLetter(db, { ...letter, reason: describeReason(error) }, deps.clock());
}

/** Saves it in a transaction of its own, with `alongside` if possible. @throws what the store throws in an outage. */
export async function setAside(
  deps: Pick<Deps, "store" | "clock">,
  what: SetAside,
  message: string,
  onError: OnError = UNHEARD,
  alongside?: (db: Writer) => Promise<void>,
): Promise<void> {
  onError(what.error, message);
  for (const more of alongside === undefined ? [undefined] : [alongside, undefined]) {
    try {
      await deps.store.write(async (db) => {
        await more?.(db);
        await saveSetAside(db, deps, what);
      });
      return;
    } catch (error) {
      if (isOutage(error)) throw error;
      onError(error, "a dead letter could not be saved");
    }
  }
}

/** For tests, and for commands that fail as a whole. */
const UNHEARD: OnError = () => undefined;

/** @param onFailure called for each item that fails alone. @throws what the store throws in an outage. */
export async function batchThenEach<T>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<void>,
  onFailure: (item: T, error: unknown) => Promise<void>,
): Promise<void> {
  await catchFailure(
    () => work(items),
    async () => {
      for (const item of items) {
        await catchFailure(
          () => work([item]),
          (error) => onFailure(item, error),
        );
      }
    },
  );
}

/** Does the work; `onFailure` gets any error except an outage. @throws what the store throws in an outage. */
export async function catchFailure(
  work: () => Promise<void>,
  onFailure: (error: unknown) => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isOutage(error)) throw error;
    await onFailure(error);
  }
}

export function listDeadLetters(deps: Pick<Deps, "store">, limit: number): Promise<DeadLetter[]> {
  return deps.store.read((db) => listRows(db, limit));
}

export function describeReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return foreignLine(error instanceof Error ? `${error.message}${cause}` : String(error), MAX_REASON);
}
