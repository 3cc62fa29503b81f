/** `rostrum serve` with reading processes, and clients that know which process serves their connection. */
import assert from "node:assert/strict";
import { Agent, request, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { record } from "../helpers/http.ts";
import type { ServerProcess } from "../helpers/cli.ts";
import { until } from "../helpers/until.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One keep-alive connection. */
export class Connection implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send("GET", path, headers);
  }

  post(path: string, body: string, headers: Record<string, string>): Promise<Answer> {
    return this.#send("POST", path, { ...headers, "Content-Length": String(Buffer.byteLength(body)) }, body);
  }

  #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const options = { method, agent: this.#agent, headers: { ...this.#headers, ...headers } };
    const sent = request(this.#url + path, options, (res) => {
      text(res).then((answer) => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: answer }), reject);
    });
    sent.on("error", reject);
    if (headers["Expect"] === undefined) sent.end(body);
    else sent.on("continue", () => sent.end(body));
    return promise;
  }

  /** The name of the process that serves the connection. */
  async node(): Promise<string> {
    const { status, body } = await this.get("/api/public/articles?limit=1&debug=true");
    assert.equal(status, 200, body);
    return String(record(record(JSON.parse(body))["debug"])["node"]);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** Opens connections until `count` processes serve some, and at least `each` of each. */
export async function connectToAll(
  url: string,
  headers: Record<string, string>,
  { count, each = 1 }: { count: number; each?: number },
): Promise<{ node: string; connection: Connection }[]> {
  const found = new Map<string, Connection[]>();
  await until(`${count} processes serve`, async () => {
    const connection = new Connection(url, headers);
    const node = await connection.node();
    const connections = found.get(node) ?? [];
    if (connections.length < each) found.set(node, [...connections, connection]);
    else connection[Symbol.dispose]();
    return found.size === count && [...found.values()].every((some) => some.length === each);
  });
  return [...found].flatMap(([node, connections]) => connections.map((connection) => ({ node, connection })));
}

/** The ids of the reading processes, as logged; those that were started later come last. */
export function readerPids(server: Pick<ServerProcess, "lines">): number[] {
  return server.lines
    .map((line) => record(JSON.parse(line)))
    .filter(({ msg }) => msg === "a reading process serves")
    .map(({ pid }) => Number(pid));
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
