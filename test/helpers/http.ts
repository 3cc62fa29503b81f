import assert from "node:assert/strict";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as received, possibly compressed. */
  bytes: Buffer;
  text: string;
  json(): unknown;
}

export interface SendOptions {
  method?: string;
  headers?: Record<string, string | string[] | undefined>;
  body?: string | Buffer;
  /** Source address of the client; any of 127.0.0.0/8. */
  localAddress?: string;
}

export type Json = Record<string, unknown>;

/** Sends the request target exactly as written, without the normalization and decompression of `fetch`. */
export class Client implements Disposable {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  send(path: string, options: SendOptions = {}): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const { method = "GET", body, localAddress } = options;
    const headers = Object.fromEntries(
      Object.entries(options.headers ?? {}).filter(([, value]) => value !== undefined),
    );
    const sent = request(
      {
        host: this.#url.hostname,
        port: this.#url.port,
        method,
        path,
        headers,
        // A pooled connection has the source address that it was opened with.
        ...(localAddress === undefined ? { agent: this.#agent } : { agent: false, localAddress }),
      },
      (res) => {
        read(res).then(resolve, reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

async function read(res: IncomingMessage): Promise<Reply> {
  const bytes = Buffer.concat(await res.toArray());
  const text = bytes.toString();
  return { status: res.statusCode ?? 0, headers: res.headers, bytes, text, json: () => JSON.parse(text) as unknown };
}

/** Asserts that the value is a JSON object. */
export function record(value: unknown, what = "the value"): Json {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value), `${what} is not an object`);
  return value as Json;
}

/** Asserts that the value is a list of JSON objects. */
export function records(value: unknown, what = "the value"): Json[] {
  assert.ok(Array.isArray(value), `${what} is not a list`);
  return value.map((one, index) => record(one, `${what}[${index}]`));
}

/** Asserts the status and the whole body of an error response. */
export function assertRefusal(reply: Reply, status: number, body: Json): void {
  assert.deepEqual({ status: reply.status, body: reply.json() }, { status, body });
}
