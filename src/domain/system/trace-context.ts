/** W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace and span a request or an event belongs to. */

export interface TraceContext {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  flags: number;
}

export const SAMPLED = 0b01;
/** Sampled, and random trace id. Others must be zero in what is sent on. */
const KNOWN_FLAGS = 0b11;

/** Version, trace, parent and flags. A later version may add more after a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined if malformed. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId, spanId = "", flags = "", rest] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || (version === "00" && rest !== undefined)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & KNOWN_FLAGS };
}

/** Version 00. */
export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${flags}`;
}

export function isSampled({ flags }: Pick<TraceContext, "flags">): boolean {
  return (flags & SAMPLED) !== 0;
}
