import type { RetryPolicy } from "../../domain/webhooks/delivery.ts";
import type { Recorded, RecordOptions } from "../../operations/webhooks/record-attempts.ts";
import type { Deps } from "../../operations/system/deps.ts";
import type { SharedLiveness } from "../../store/system/shared-liveness.ts";
import type { LeaseRegistry } from "./lease-registry.ts";

/** Options of the dispatcher and its parts (claimer.ts, sender.ts, result-writer.ts). */
export interface DispatcherOptions extends Omit<RecordOptions, "isSilent"> {
  deps: Pick<Deps, "store" | "clock" | "newId" | "secrets" | "post" | "randomBytes" | "mail">;
  /** `timeoutMs`: timeout of one attempt. */
  policy: RetryPolicy & { timeoutMs: number };
  /** Registry of the leases held here. */
  leases?: LeaseRegistry;
  /** For processes that share a PostgreSQL database; absent: never fenced. */
  liveness?: Pick<SharedLiveness, "isFenced">;
  onRecorded: (results: readonly Recorded[]) => void;
  onError: (error: unknown, message: string) => void;
}

const LEASE_MS = 30_000;
/** A lease outlasts the attempt's timeout by this factor, so that the result can still be recorded. */
const LEASE_PER_TIMEOUT = 1.5;

/** How long a lease lasts. */
export function toLeaseMs({ timeoutMs }: Pick<DispatcherOptions["policy"], "timeoutMs">): number {
  return Math.max(LEASE_MS, timeoutMs * LEASE_PER_TIMEOUT);
}

/** Minimum time between two logs of the same failure. */
export const LOG_AGAIN_AFTER_MS = 60_000;
