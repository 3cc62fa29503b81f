import type { RetryPolicy } from "../../domain/webhooks/delivery.ts";
import type { Recorded, RecordOptions } from "../../operations/webhooks/record-attempts.ts";
import type { Deps, PollingDeps } from "../../operations/system/deps.ts";
import type { SharedLiveness } from "../../store/system/shared-liveness.ts";

/** Options of the dispatcher and its parts (claimer.ts, sender.ts, result-writer.ts). */
export interface DispatcherOptions extends Omit<RecordOptions, "isSilent"> {
  deps: PollingDeps & Pick<Deps, "newId" | "secrets" | "post" | "randomBytes" | "mail">;
  /** `timeoutMs`: timeout of one attempt. */
  policy: RetryPolicy & { timeoutMs: number };
  /** For processes that share a PostgreSQL database; absent: never fenced. */
  liveness?: Pick<SharedLiveness, "isFenced">;
  /** The `traceparent` of an event that has none. Absent: no traces are exported. */
  traceOfEvent?: (eventId: string) => string;
  onRecorded: (results: readonly Recorded[]) => void;
  onError: (error: unknown, message: string) => void;
}

/** Minimum time between two logs of the same failure. */
export const LOG_AGAIN_AFTER_MS = 60_000;
