/** A thread that reads without pause and compares each answer with what was known when its request was sent. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { type FreshnessTask, KNOWN, READS, STALE } from "./freshness-task.ts";

/** As little as can be, so that the reads are as close to the writes as possible. */
class RawConnection implements Disposable {
  readonly #socket: Socket;
  readonly #key: string;
  #answer = "";
  #waiting: ReturnType<typeof Promise.withResolvers<string>> | undefined;

  constructor(url: string, key: string) {
    const { hostname, port } = new URL(url);
    this.#key = key;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding("latin1").on("data", (part: string) => this.#receive(part));
    this.#socket.on("close", () => this.#waiting?.reject(new Error("the connection was closed")));
  }

  get(path: string): Promise<string> {
    this.#answer = "";
    this.#waiting = Promise.withResolvers();
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${this.#key}\r\n\r\n`);
    return this.#waiting.promise;
  }

  #receive(part: string): void {
    this.#answer += part;
    const end = this.#answer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const [, length] = /\r\nContent-Length: (\d+)\r\n/.exec(this.#answer.slice(0, end + 2)) ?? [];
    // One character is one byte.
    if (this.#answer.length === end + 4 + Number(length)) this.#waiting?.resolve(this.#answer.slice(end + 4));
  }

  [Symbol.dispose](): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }
}

async function read({ url, key, paths, counters, reads }: FreshnessTask): Promise<void> {
  using connection = new RawConnection(url, key);
  for (let count = Atomics.add(counters, READS, 1); count < reads; count = Atomics.add(counters, READS, 1)) {
    const atLeast = Atomics.load(counters, KNOWN);
    const body = await connection.get(paths[count % paths.length] ?? "");
    const [, title] = /"title":"(\d+)"/.exec(body) ?? [];
    assert.ok(title !== undefined, body);
    if (Number(title) < atLeast) Atomics.add(counters, STALE, 1);
  }
}

// Only freshness.test.ts starts this thread.
const task = workerData as FreshnessTask;
await Promise.all(Array.from({ length: task.connections }, () => read(task)));
parentPort?.postMessage("done");
