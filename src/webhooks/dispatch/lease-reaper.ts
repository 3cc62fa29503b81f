/**
 * What a dispatcher does for all that share a PostgreSQL, found by one statement (store/webhooks/lease-scan.ts). It is asked when anybody
 * has committed, when the silence of a worker that holds claims becomes too long, and else as seldom as a worker must be
 * silent to be dead: one that begins to hold claims right after a look cannot be dead before the next.
 */
import type { OnError } from "../../operations/webhooks/dead-letters.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { takeBack } from "../../operations/webhooks/queue-maintenance.ts";
import type { ActiveLease, QueueScan } from "../../store/webhooks/lease-scan.ts";
import { DISPATCHER_DEAD_AFTER_MS } from "../../store/system/liveness.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { LeaseRegistry } from "./lease-registry.ts";

/** Those that have been silent for too long are looked at a little later: what is not yet certain then must be asked again. */
const MARGIN_MS = 5;
const MIN_BETWEEN_MS = 20;

export interface LeaseReaperOptions {
  deps: Pick<Deps, "store" | "clock">;
  worker: string;
  heartbeat: Pick<Heartbeat, "look" | "deadAfterMs" | "knownInMs">;
  leases: Pick<LeaseRegistry, "isKnown">;
  dispatcher: Pick<Dispatcher, "takenBack" | "expect">;
  onError?: OnError;
}

export class LeaseReaper {
  readonly #options: LeaseReaperOptions;
  /** The last look has seen something to park, or to send again, which takes its time: it must not wait for that itself. */
  hasWork = false;

  constructor(options: LeaseReaperOptions) {
    this.#options = options;
  }

  /** Looks, and takes back what the dead hold. @returns when to look again if nothing is heard before, milliseconds from now. */
  async look(): Promise<number> {
    const { dispatcher, heartbeat } = this.#options;
    const startedAt = performance.now();
    const scan = await heartbeat.look();
    if (await this.#takeBack(scan, heartbeat.deadAfterMs(startedAt))) dispatcher.takenBack();
    const nextAt = startedAt + this.#nextInMs(scan);
    if (scan.readyAt !== null) dispatcher.expect(scan.readyAt);
    this.hasWork = scan.hasToPark || scan.hasReplays;
    return Math.max(MIN_BETWEEN_MS, nextAt - performance.now());
  }

  /** Takes back what the dead hold, and what this worker holds without knowing. @returns whether there was any of it. */
  async #takeBack({ claims }: QueueScan, deadAfterMs: number | null): Promise<boolean> {
    const { deps, leases, onError } = this.#options;
    const isDead = ({ silentMs }: ActiveLease) =>
      // A newcomer cannot know whether a crash has lost all that somebody said.
      silentMs === null ? deadAfterMs === DISPATCHER_DEAD_AFTER_MS : deadAfterMs !== null && silentMs >= deadAfterMs;
    const isLost = (claim: ActiveLease) => (this.#isOwn(claim) ? !leases.isKnown(claim.token) : isDead(claim));
    return (await takeBack(deps, claims, isLost, onError)) > 0;
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
