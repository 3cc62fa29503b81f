/**
 * Maintenance that each dispatcher does for all that share a PostgreSQL database, driven by one query
 * (store/webhooks/leases.ts). It runs after any commit, when a lease owner has been silent for too long, and otherwise
 * every DISPATCHER_DEAD_AFTER_MS: a worker that takes leases right after a scan cannot be dead before the next.
 */
import type { OnError } from "../../operations/system/set-aside.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { reclaim } from "../../operations/webhooks/queue-maintenance.ts";
import type { DedicatedConnection, Snapshot } from "../../store/store.ts";
import { type ActiveLease, scanQueue, type QueueScan } from "../../store/webhooks/leases.ts";
import { DISPATCHER_DEAD_AFTER_MS } from "../../store/system/liveness.ts";
import type { SharedLiveness } from "../../store/system/shared-liveness.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { LeaseRegistry } from "./result-writer.ts";

/** Delay after a silence becomes too long: a scan that comes too early would have to be repeated. */
const MARGIN_MS = 5;
const MIN_BETWEEN_MS = 20;
const SCAN_TIMEOUT_MS = 4_000;

export interface LeaseReaperOptions {
  deps: Pick<Deps, "store" | "clock">;
  /** A connection of its own: scans are single statements, and wait for nobody. */
  connection: Pick<DedicatedConnection, "ask">;
  worker: string;
  liveness: Pick<SharedLiveness, "isSteady" | "steadyInMs">;
  leases: Pick<LeaseRegistry, "isKnown" | "isEmpty">;
  dispatcher: Pick<Dispatcher, "onLeasesReclaimed" | "expect">;
  onError?: OnError;
}

export class LeaseReaper {
  readonly #options: LeaseReaperOptions;
  /** Whether the last scan found deliveries to park or replays to continue, which the caller does: they take time. */
  hasWork = false;

  constructor(options: LeaseReaperOptions) {
    this.#options = options;
  }

  /** Reclaims leases of dead workers. @returns milliseconds until the next scan, if no commit comes first. */
  async sweep(): Promise<number> {
    const { dispatcher, leases, connection, liveness, worker } = this.#options;
    const db: Pick<Snapshot, "all"> = { all: (sql, ...params) => connection.ask(SCAN_TIMEOUT_MS, sql, ...params) };
    const [startedAt, sentAt] = [performance.now(), process.hrtime.bigint()];
    const scan = await scanQueue(db, worker, leases.isEmpty);
    if (await this.#reclaim(scan, liveness.isSteady(sentAt))) dispatcher.onLeasesReclaimed();
    const nextAt = startedAt + this.#nextInMs(scan);
    if (scan.readyAt !== null) dispatcher.expect(scan.readyAt);
    this.hasWork = scan.hasToPark || scan.hasReplays;
    return Math.max(MIN_BETWEEN_MS, nextAt - performance.now());
  }

  /** Reclaims dead workers' leases, if silence means death (`isSteady`), and unknown own ones. @returns whether any. */
  async #reclaim({ claims }: QueueScan, isSteady: boolean): Promise<boolean> {
    const { deps, leases, onError } = this.#options;
    const isDead = ({ silentMs }: ActiveLease) =>
      isSteady && (silentMs ?? Number.POSITIVE_INFINITY) >= DISPATCHER_DEAD_AFTER_MS;
    const isLost = (claim: ActiveLease) => (this.#isOwn(claim) ? !leases.isKnown(claim.token) : isDead(claim));
    return (await reclaim(deps, claims, isLost, onError)) > 0;
  }

  #nextInMs({ claims }: QueueScan): number {
    const steadyInMs = this.#options.liveness.steadyInMs();
    const others = claims.filter((claim) => !this.#isOwn(claim));
    const deadInMs = others.map(({ silentMs }) => DISPATCHER_DEAD_AFTER_MS - (silentMs ?? Number.POSITIVE_INFINITY));
    return Math.min(DISPATCHER_DEAD_AFTER_MS, ...deadInMs.map((ms) => Math.max(steadyInMs, ms) + MARGIN_MS));
  }

  #isOwn({ worker }: ActiveLease): boolean {
    return worker === this.#options.worker;
  }
}
