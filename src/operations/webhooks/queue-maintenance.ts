/** Keeps the queue consistent, beside the dispatcher. Tasks may run in several processes at once. */
import type { Millis } from "../../domain/system/time.ts";
import { isEnabled } from "../../domain/webhooks/endpoint.ts";
import { listFailures } from "../../store/system/dead-letters.ts";
import {
  listDeletedWithHistory,
  listForPruning,
  listDeliveryNumbers,
  pruneDeliveries,
} from "../../store/webhooks/deliveries.ts";
import { listToPark, listWaitingForEndpoint, parkWaiting } from "../../store/webhooks/delivery-queue.ts";
import {
  listLeases,
  releaseClaims,
  releaseExpired,
  releaseUnused,
  type ActiveLease,
  listHeldClaims,
} from "../../store/webhooks/leases.ts";
import { findEndpointToChange } from "../../store/webhooks/endpoints.ts";
import { isOutage } from "../../store/system/outage.ts";
import { DISPATCHER_DEAD_AFTER_MS } from "../../store/system/liveness.ts";
import { type OnError, setAside, batchThenEach, catchFailure } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";
import { setAsideNumbered } from "./set-aside.ts";

/** Rows that one transaction parks or prunes: about ten milliseconds. */
const ROWS_AT_ONCE = 500;
/** For leases from before a failover: the new server's clock may be ahead. */
const MAX_SERVER_DIFFERENCE_MS = 60_000;

/** Reclaims leases of dead workers, and expired ones. @param isAlive by this machine; PostgreSQL uses heartbeats. */
export async function reclaimLeases(
  deps: Pick<Deps, "store" | "clock">,
  isAlive: (worker: string) => boolean,
  onError?: OnError,
): Promise<number> {
  const claims = await deps.store.read(listHeldClaims);
  const isDead =
    deps.store.engine === "postgres"
      ? ({ silentMs }: ActiveLease) => silentMs === null || silentMs >= DISPATCHER_DEAD_AFTER_MS
      : ({ worker }: ActiveLease) => !isAlive(worker);
  return reclaim(deps, claims, isDead, onError);
}

/** Like `takeBackLeases`, for leases that were just read. */
export async function reclaim(
  deps: Pick<Deps, "store" | "clock">,
  claims: readonly ActiveLease[],
  isDead: (claim: ActiveLease) => boolean,
  onError?: OnError,
): Promise<number> {
  // A live worker finishes what it has claimed.
  const lapsedBefore = deps.clock() - (deps.store.engine === "postgres" ? MAX_SERVER_DIFFERENCE_MS : 0);
  const dead = claims.filter(isDead);
  if (dead.length === 0 && !claims.some(({ until }) => until < lapsedBefore)) return 0;
  try {
    return await deps.store.write(
      async (db) =>
        (await releaseExpired(db, lapsedBefore)) +
        (await releaseClaims(
          db,
          dead.map(({ token }) => token),
        )),
      { notify: false },
    );
  } catch (error) {
    if (isOutage(error)) throw error;
    return reclaimAlone(deps, new Set(dead.map(({ token }) => token)), lapsedBefore, onError);
  }
}

/** Reclaims leases one by one. One that cannot be reclaimed is set aside, and not retried. */
async function reclaimAlone(
  deps: Pick<Deps, "store" | "clock">,
  deadTokens: ReadonlySet<string>,
  lapsedBefore: Millis,
  onError?: OnError,
): Promise<number> {
  const [leases, failures] = await deps.store.read(async (db) => [
    await listLeases(db),
    await listFailures(db, "lease"),
  ]);
  let released = 0;
  for (const { no, token, until } of leases) {
    const subjectId = String(no);
    if (!(until < lapsedBefore || deadTokens.has(token)) || failures.has(subjectId)) continue;
    await catchFailure(
      async () => {
        await deps.store.write((db) => releaseUnused(db, [{ no, token }]), { notify: false });
        released++;
      },
      (error) =>
        setAside(
          deps,
          { kind: "lease", subjectId, websiteId: null, error },
          `the lease of delivery number ${no} cannot be reclaimed: it is not sent again`,
          onError,
        ),
    );
  }
  return released;
}

/** Parks the waiting deliveries of endpoints that are not enabled. @returns how many. */
export async function parkStopped(deps: ParkDeps, onError?: OnError): Promise<number> {
  let parked = 0;
  for (const id of await deps.store.read(listToPark)) parked += await parkEndpoint(deps, id, onError);
  return parked;
}

type ParkDeps = Pick<Deps, "store" | "clock" | "newId">;

/** Parks the endpoint's queued deliveries in batches, unless it is enabled. @returns how many. */
export async function parkEndpoint(deps: ParkDeps, id: string, onError?: OnError): Promise<number> {
  let parked = 0;
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
    try {
      count = await parkSome(deps, id, ROWS_AT_ONCE);
    } catch (error) {
      if (isOutage(error)) throw error;
      count = await parkAlone(deps, id, onError);
    }
    parked += count;
  }
  return parked;
}

function parkSome({ store }: ParkDeps, id: string, limit: number): Promise<number> {
  return store.write(async (db) => {
    const endpoint = await findEndpointToChange(db, id);
    return endpoint === undefined || isEnabled(endpoint.state) ? 0 : parkWaiting(db, id, limit);
  });
}

/** Parks up to a batch, one by one; sets aside what cannot be parked. @returns how many left the queue. */
async function parkAlone(deps: ParkDeps, id: string, onError?: OnError): Promise<number> {
  let failed: number | undefined;
  for (let count = 0; count < ROWS_AT_ONCE; count++) {
    try {
      if ((await parkSome(deps, id, 1)) === 0) return count;
    } catch (error) {
      if (isOutage(error)) throw error;
      const [no] = await deps.store.write((db) => listWaitingForEndpoint(db, id, 1));
      // The delivery could not be set aside either: those behind it wait until somebody repairs the row.
      if (no === undefined || no === failed) return count;
      failed = no;
      await setAsideNumbered(deps, no, error, onError);
    }
  }
  return ROWS_AT_ONCE;
}

/** Deletes finished history before `before`, and all of deleted endpoints. @returns how many deliveries. */
export async function pruneHistory(
  deps: Pick<Deps, "store" | "clock">,
  before: Millis,
  onError?: OnError,
): Promise<number> {
  let pruned = 0;
  for (let after = 0; ;) {
    const batch = await deps.store.read((db) => listForPruning(db, after, ROWS_AT_ONCE));
    const old = batch.filter((row) => row.created_at < before);
    pruned += await pruneEach(
      deps,
      old.filter((row) => row.is_unfinished === 0).map(({ no }) => no),
      onError,
    );
    after = batch.at(-1)?.no ?? after;
    // Numbers grow with time, except where transactions overlap, or the server's clock was set back.
    if (batch.length < ROWS_AT_ONCE || old.length === 0) break;
  }
  for (const id of await deps.store.read(listDeletedWithHistory)) {
    for (let after = 0, count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
      const numbers = await deps.store.read((db) => listDeliveryNumbers(db, id, after, ROWS_AT_ONCE));
      pruned += await pruneEach(deps, numbers, onError);
      after = numbers.at(-1) ?? after;
      count = numbers.length;
    }
  }
  return pruned;
}

export async function pruneEach(
  deps: Pick<Deps, "store" | "clock">,
  numbers: readonly number[],
  onError?: OnError,
): Promise<number> {
  if (numbers.length === 0) return 0;
  let pruned = 0;
  await batchThenEach(
    numbers,
    async (some) => {
      pruned += await deps.store.write((db) => pruneDeliveries(db, some));
    },
    (no, error) => {
      const letter = { kind: "delivery", subjectId: `number ${no}`, websiteId: null, error } as const;
      return setAside(deps, letter, `delivery number ${no} cannot be pruned; the others are`, onError);
    },
  );
  return pruned;
}
