/** W3C Trace Context (https://www.w3.org/TR/trace-context/): the trace that a request belongs to, for the log. */
import type { IncomingMessage } from "node:http";

/** Version, trace, parent and flags. A later version may add more behind a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * The header `traceparent` in the form of version 00; undefined when there is none, or it is not well-formed. Anybody may send
 * one: it names the request for whoever has made it, as `requestId` does here.
 */
function traceparentOf({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== "string") return undefined;
  const [, version, trace, parent, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (trace === undefined || (version === "00" && rest !== undefined)) return undefined;
  return `00-${trace}-${parent}-${flags}`;
}

/** For a line of the log. */
export function traceFacts(request: Pick<IncomingMessage, "headers">): { traceparent?: string } {
  const traceparent = traceparentOf(request);
  return traceparent === undefined ? {} : { traceparent };
}
