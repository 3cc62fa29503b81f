/** The ids of requests: in `X-Request-Id` of every response, as `requestId` in the log, and in the body of a 500. */
import type { IncomingMessage } from "node:http";
import { readOrigin } from "./proxies.ts";

export class RequestIds {
  readonly #node: string;
  #count = 0;

  /** `node`: the name of this process, which no other has. */
  constructor(node: string) {
    this.#node = node;
  }

  /** The id that a trusted proxy has set, else a new one. Call it once per request. */
  take(request: IncomingMessage): string {
    return readOrigin(request)?.requestId ?? `${this.#node}-${++this.#count}`;
  }
}
