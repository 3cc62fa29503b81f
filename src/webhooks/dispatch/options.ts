import type { RetryPolicy } from "../../domain/webhooks/delivery.ts";
import type { Recorded } from "../../operations/webhooks/record-attempts.ts";
import type { Deps } from "../../operations/system/deps.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { LeaseRegistry } from "./lease-registry.ts";

/** What the dispatcher and its parts (claimer.ts, sender.ts, result-writer.ts) are given. */
export interface DispatcherOptions {
  deps: Pick<Deps, "store" | "clock" | "newId" | "secrets" | "post" | "randomBytes" | "mail">;
  /** `timeoutMs`: how long an attempt may take. */
  policy: RetryPolicy & { timeoutMs: number };
  random: () => number;
  /** Names this process among those that hold leases. */
  worker: string;
  /** Where it registers the claims that it holds. */
  leases?: LeaseRegistry;
  /** For processes that share a PostgreSQL; absent: this one sends no heartbeats. */
  heartbeat?: Pick<Heartbeat, "ready" | "isStale">;
  onRecorded: (results: readonly Recorded[]) => void;
  onError: (error: unknown, message: string) => void;
}

/** The same failure is logged once in so long. */
export const LOG_AGAIN_AFTER_MS = 60_000;
