/** The ids of requests: in `X-Request-Id` of every answer, as `requestId` in the log, and in what a 500 says. */
import type { IncomingMessage } from "node:http";
import { originOf } from "./proxies.ts";

export class RequestIds {
  readonly #node: string;
  #count = 0;

  /** `node` names this process; no other one has the name. */
  constructor(node: string) {
    this.#node = node;
  }

  /** The id that a trusted proxy has given the request; else a new one. To be asked once for each request. */
  take(request: IncomingMessage): string {
    return originOf(request)?.requestId ?? `${this.#node}-${++this.#count}`;
  }
}
