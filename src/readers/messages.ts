/** Messages between the main process and a reading process. */
import type { Config } from "../process/config.ts";
import type { ReadStats } from "../http/operators/metrics.ts";
import type { KeyUseTime } from "../http/read-api/api-key-usage.ts";
import type { KeyRequests } from "../store/people/key-requests.ts";

export interface ReaderSettings extends Pick<
  Config,
  | "host"
  | "port"
  | "trustProxy"
  | "maxMetricLabels"
  | "logLevel"
  | "rateLimit"
  | "cacheBytes"
  | "httpCaches"
  | "maxConnections"
> {
  databasePath: string;
  /** The name of the process, which no other has. */
  node: string;
  /** Where the main process accepts requests that are passed on, and the token that they need. */
  forwardTo: { path: string; token: string };
}

/** Since the last report, except for the bytes. */
export interface ReaderReport {
  reads: ReadStats;
  uses: KeyUseTime[];
  requests: KeyRequests[];
  /** Errors that were logged. */
  errors: number;
  cacheBytes: number;
  residentBytes: number;
}

/** Tokens of a key's bucket that a reading process may hand out. */
export interface TokenLease {
  tokens: number;
  serial: number;
  /** Tokens left in the bucket. */
  remaining: number;
  /** Until the next token; 0 if there is one. */
  emptyMs: number;
}

/** Unused tokens of a key, and the last lease that they come from. */
export interface ReturnedTokens {
  tokens: number;
  serial: number;
}

export type ToReader =
  | { type: "start"; settings: ReaderSettings }
  | { type: "lease"; id: number; lease: TokenLease }
  | { type: "refused"; id: number; waitSeconds: number | null }
  | { type: "recall"; id: number; keyId: string }
  | { type: "report"; id: number }
  | { type: "drain" | "refuse-reads" | "close" };

export type FromReader =
  | { type: "ready" | "listening" }
  | { type: "lease"; id: number; keyId: string; rate: number }
  | { type: "refuse"; id: number; address: string }
  /** The unused tokens; `id` of the recall, null when they were not asked for. */
  | { type: "return"; id: number | null; keyId: string; returned: ReturnedTokens }
  /** `id`: null when it was not asked for. */
  | { type: "report"; id: number | null; report: ReaderReport };
