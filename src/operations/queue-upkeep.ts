/** What keeps the queue of deliveries true beside the dispatcher; each is safe to run in several processes at once. */
import type { Millis } from "../domain/article.ts";
import type { EndpointState } from "../domain/endpoint.ts";
import { pruneDeliveries } from "../store/deliveries.ts";
import { listToPark, measureQueue, parkWaiting, releaseClaims, releaseLapsed } from "../store/delivery-queue.ts";
import { countEndpoints, findEndpointToChange } from "../store/endpoints.ts";
import { type HeldClaim, listHeldClaims } from "../store/lookout.ts";
import { DEAD_AFTER_MS } from "../store/workers.ts";
import type { Deps } from "./deps.ts";

/** Rows that one transaction parks or prunes: some ten milliseconds. */
const ROWS_AT_ONCE = 500;
const CLOCK_DIFFERENCE_MS = 60_000;

/**
 * Takes back the leases of workers that are dead, and those that have lapsed.
 *
 * @param isAlive of the workers by this machine's knowledge; those that share a PostgreSQL know each other by their rows.
 * @returns how many.
 */
export async function takeBackLeases(
  deps: Pick<Deps, "store" | "clock">,
  isAlive: (worker: string) => boolean,
): Promise<number> {
  const claims = await deps.store.read(listHeldClaims);
  const isDead =
    deps.store.engine === "postgres"
      ? ({ silentMs }: HeldClaim) => silentMs === null || silentMs >= DEAD_AFTER_MS
      : ({ worker }: HeldClaim) => !isAlive(worker);
  return takeBack(deps, claims, isDead);
}

/** The same of claims that were seen just now. */
export async function takeBack(
  deps: Pick<Deps, "store" | "clock">,
  claims: readonly HeldClaim[],
  isDead: (claim: HeldClaim) => boolean,
): Promise<number> {
  // Clocks of several machines differ; and a worker that lives ends what it has claimed.
  const lapsedBefore = deps.clock() - (deps.store.engine === "postgres" ? CLOCK_DIFFERENCE_MS : 0);
  const dead = claims.filter(isDead);
  if (dead.length === 0 && !claims.some(({ until }) => until < lapsedBefore)) return 0;
  return deps.store.write(
    async (db) =>
      (await releaseLapsed(db, lapsedBefore)) +
      (await releaseClaims(
        db,
        dead.map(({ token }) => token),
      )),
    { isQuiet: true },
  );
}

/** Parks what waits of endpoints that are not enabled. @returns how many. */
export async function parkStopped(deps: Pick<Deps, "store">): Promise<number> {
  let parked = 0;
  for (const id of await deps.store.read(listToPark)) {
    for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
      count = await deps.store.write(async (db) => {
        const endpoint = await findEndpointToChange(db, id);
        return endpoint === undefined || endpoint.state === "enabled" ? 0 : parkWaiting(db, id, ROWS_AT_ONCE);
      });
      parked += count;
    }
  }
  return parked;
}

/** Forgets the history from before `before`. @returns how many deliveries. */
export async function pruneHistory(deps: Pick<Deps, "store">, before: Millis): Promise<number> {
  let pruned = 0;
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
    count = await deps.store.write((db) => pruneDeliveries(db, before, ROWS_AT_ONCE));
    pruned += count;
  }
  return pruned;
}

/** What operators watch: how much is unfinished, for how long, and how the endpoints are. */
export function measureDeliveries(
  deps: Pick<Deps, "store" | "clock">,
): Promise<{ depth: number; oldestSeconds: number; endpoints: Record<EndpointState, number> }> {
  return deps.store.read(async (db) => {
    const { depth, oldestAt } = await measureQueue(db);
    const oldestSeconds = oldestAt === null ? 0 : Math.max(0, (deps.clock() - oldestAt) / 1_000);
    return { depth, oldestSeconds, endpoints: await countEndpoints(db) };
  });
}
