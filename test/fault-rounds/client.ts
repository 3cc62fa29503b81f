/** One HTTP client for each node, with a time limit on every request, because a node may be suspended. */
import { Agent, request } from "node:http";
import { type TextReply, exchange } from "../helpers/exchange.ts";

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
  withinMs: number;
}

/** No connection was made, so the node has not seen the request. */
export class NotSent extends Error {}

export class NodeClient implements Disposable {
  readonly #port: number;
  #agent = newAgent();

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws NotSent; another Error when there was no answer in time. */
  async send(path: string, { method = "GET", headers = {}, body, withinMs }: Sent): Promise<TextReply> {
    const signal = AbortSignal.timeout(withinMs);
    try {
      return await exchange(request, { port: this.#port, agent: this.#agent, method, path, headers, signal }, body);
    } catch (error) {
      const isRefused = (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
      throw isRefused ? new NotSent("refused", { cause: error }) : error;
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 32 });
}
