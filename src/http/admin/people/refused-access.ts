/** Audits requests that a role or scope does not allow, at a limited rate so that nobody can fill the disk. */
import { LRUCache } from "lru-cache";
import type { Origin } from "../../../domain/system/audit.ts";
import { recordRefusedAccess } from "../../../operations/people/refused-access.ts";
import type { Deps } from "../../../operations/system/deps.ts";

const HOUR_MS = 3_600_000;
const MAX_PER_HOUR = 20;
const MAX_REMEMBERED = 10_000;

type RefusedDeps = Pick<Deps, "store" | "clock" | "newId">;

export class RefusedAccess {
  readonly #deps: RefusedDeps;
  readonly #noted = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: HOUR_MS, ttlAutopurge: false });
  readonly #counts = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: HOUR_MS, noUpdateTTL: true });

  constructor(deps: RefusedDeps) {
    this.#deps = deps;
  }

  /** Records one an hour for each account, route and website. `websiteId`: as the request names it; null: none. */
  async note(origin: Origin, target: "account" | "token", route: string, websiteId: string | null): Promise<void> {
    const { actor } = origin;
    const key = JSON.stringify([actor, route, websiteId]);
    const count = this.#counts.get(actor) ?? 0;
    if (this.#noted.has(key) || count >= MAX_PER_HOUR) return;
    this.#noted.set(key, true);
    this.#counts.set(actor, count + 1);
    await recordRefusedAccess(this.#deps, origin, target, route, websiteId);
  }
}
