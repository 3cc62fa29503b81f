/** W3C Trace Context (https://www.w3.org/TR/trace-context/): the trace that a request belongs to. */
import type { IncomingMessage } from "node:http";

/** Version, trace, parent and flags. A later version may add more after a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Sampled, and random trace id. Others must be zero in what is sent on. */
const KNOWN_FLAGS = 0b11;

/**
 * The `traceparent` header in the form of version 00; undefined if it is absent or malformed. Any client may send one: it
 * identifies the request for its sender, as `requestId` does here.
 */
function readTraceparent({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== "string") return undefined;
  const [, version, trace, parent, flags = "", rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (trace === undefined || (version === "00" && rest !== undefined)) return undefined;
  const known = Number.parseInt(flags, 16) & KNOWN_FLAGS;
  return `00-${trace}-${parent}-0${known}`;
}

/** The field for a log line, and for what the request changes. */
export function traceFacts(request: Pick<IncomingMessage, "headers">): { traceparent?: string } {
  const traceparent = readTraceparent(request);
  return traceparent === undefined ? {} : { traceparent };
}
