/**
 * Maintenance that each dispatcher does for all that share a PostgreSQL database, driven by one query
 * (store/webhooks/lease-scan.ts). It runs after any commit, when a lease holder has been silent for too long, and otherwise
 * every DISPATCHER_DEAD_AFTER_MS: a worker that takes leases right after a scan cannot be dead before the next.
 */
import type { OnError } from "../../operations/webhooks/dead-letters.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { reclaim } from "../../operations/webhooks/queue-maintenance.ts";
import type { ActiveLease, QueueScan } from "../../store/webhooks/lease-scan.ts";
import { DISPATCHER_DEAD_AFTER_MS } from "../../store/system/liveness.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { LeaseRegistry } from "./lease-registry.ts";

/** Delay after a silence becomes too long: a scan that comes too early would have to be repeated. */
const MARGIN_MS = 5;
const MIN_BETWEEN_MS = 20;

export interface LeaseReaperOptions {
  deps: Pick<Deps, "store" | "clock">;
  worker: string;
  heartbeat: Pick<Heartbeat, "look" | "deadAfterMs" | "knownInMs">;
  leases: Pick<LeaseRegistry, "isKnown">;
  dispatcher: Pick<Dispatcher, "onLeasesReclaimed" | "expect">;
  onError?: OnError;
}

export class LeaseReaper {
  readonly #options: LeaseReaperOptions;
  /** Whether the last scan found deliveries to park or replays to continue. The caller does both, because they take time. */
  hasWork = false;

  constructor(options: LeaseReaperOptions) {
    this.#options = options;
  }

  /** Scans and reclaims the leases of dead workers. @returns milliseconds until the next scan, unless a commit comes first. */
  async look(): Promise<number> {
    const { dispatcher, heartbeat } = this.#options;
    const startedAt = performance.now();
    const scan = await heartbeat.look();
    if (await this.#takeBack(scan, heartbeat.deadAfterMs(startedAt))) dispatcher.onLeasesReclaimed();
    const nextAt = startedAt + this.#nextInMs(scan);
    if (scan.readyAt !== null) dispatcher.expect(scan.readyAt);
    this.hasWork = scan.hasToPark || scan.hasReplays;
    return Math.max(MIN_BETWEEN_MS, nextAt - performance.now());
  }

  /**
   * Reclaims the leases of dead workers, and those of this worker that it does not know of. @returns whether there were any.
   */
  async #takeBack({ claims }: QueueScan, deadAfterMs: number | null): Promise<boolean> {
    const { deps, leases, onError } = this.#options;
    const isDead = ({ silentMs }: ActiveLease) =>
      // A database crash may have lost a worker's heartbeats: a missing row proves death only to a detector that is certain.
      silentMs === null ? deadAfterMs === DISPATCHER_DEAD_AFTER_MS : deadAfterMs !== null && silentMs >= deadAfterMs;
    const isLost = (claim: ActiveLease) => (this.#isOwn(claim) ? !leases.isKnown(claim.token) : isDead(claim));
    return (await reclaim(deps, claims, isLost, onError)) > 0;
  }

  #nextInMs({ claims }: QueueScan): number {
    const others = claims.filter((claim) => !this.#isOwn(claim));
    const knownInMs = others.map(({ silentMs }) => this.#options.heartbeat.knownInMs(silentMs));
    return Math.min(DISPATCHER_DEAD_AFTER_MS, ...knownInMs.map((ms) => ms + MARGIN_MS));
  }

  #isOwn({ worker }: ActiveLease): boolean {
    return worker === this.#options.worker;
  }
}
