/** One HTTP client for each node, with a time limit on every request: a node may stand still. */
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

export interface Answer {
  status: number;
  cookie: string | undefined;
  text: string;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
  withinMs: number;
}

/** No connection came about: the node has seen nothing of the request. */
export class NotSent extends Error {}

export class NodeClient implements Disposable {
  readonly #port: number;
  #agent = newAgent();

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws NotSent; Error when the answer did not come, or not in time. */
  async send(path: string, { method = "GET", headers = {}, body, withinMs }: Sent): Promise<Answer> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = request(
      {
        host: "127.0.0.1",
        port: this.#port,
        agent: this.#agent,
        method,
        path,
        headers: {
          ...headers,
          ...(json === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) }),
        },
        signal: AbortSignal.timeout(withinMs),
      },
      (response) => {
        const cookie = response.headers["set-cookie"]?.[0]?.split(";")[0];
        text(response).then((text) => resolve({ status: response.statusCode ?? 0, cookie, text }), reject);
      },
    );
    sent.on("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ECONNREFUSED" ? new NotSent("refused", { cause: error }) : error),
    );
    sent.end(json);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 32 });
}
