import type { IncomingMessage } from "node:http";
import { traceFacts } from "./trace-context.ts";

/** The facts of a request that its log line contains. */
export interface RequestFacts {
  requestId: string;
  /** As returned by trace-context.ts. */
  traceparent?: string;
  method: string;
  url: string;
}

export interface RequestLog {
  /** Whether successful reads are logged as well. */
  readonly isVerbose: boolean;
  finished(facts: RequestFacts & { status: number; ms: number }): void;
  failed(facts: RequestFacts, error: unknown): void;
}

export function getRequestFacts(id: string, request: IncomingMessage): RequestFacts {
  const { method = "", url = "" } = request;
  return { requestId: id, ...traceFacts(request), method, url };
}
