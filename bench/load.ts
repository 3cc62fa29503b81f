/**
 * The load generator, a separate process: one JSON job per line on standard input, one JSON result per line on standard output;
 * it exits when its input ends. It writes prepared requests to plain sockets, one request at a time on each, and parses only
 * the status and length of a response, so that it costs less than the server it measures.
 */
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type LoadJob, type LoadResult, STOP } from "./load-job.ts";
import { percentile } from "./statistics.ts";

const MAX_S = 300;
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = Buffer.from("Content-Length: ");

let running: Round | undefined;
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === STOP) running?.stop();
  else void answer(line);
});

async function answer(line: string): Promise<void> {
  // The parent writes nothing else, and waits for each result.
  const job = JSON.parse(line) as LoadJob;
  process.stdout.write(`${JSON.stringify(await run(job))}\n`);
}

async function run(job: LoadJob): Promise<LoadResult> {
  const requests = job.requests.map(({ path, headers }) =>
    Buffer.from(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${job.ports[0]}\r\n` +
        `${Object.entries({ ...job.headers, ...headers })
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join("")}\r\n`,
    ),
  );
  const round = new Round(requests, job);
  running = round;
  try {
    await round.connect();
    return await round.go(Math.min(job.seconds, MAX_S));
  } finally {
    running = undefined;
    round.close();
  }
}

/** One run of a job: connections that send the requests in turn. */
class Round {
  readonly #requests: readonly Buffer[];
  readonly #job: LoadJob;
  readonly #connections: Connection[] = [];
  #next = 0;
  #left: number;
  #isRunning = false;
  readonly #statuses = new Map<number, number>();
  #bytes = 0;
  #latencies = new Float64Array(1 << 16);
  #count = 0;
  #failure: Error | null = null;
  #finish: () => void = () => undefined;
  /** With a rate: due times of requests that found every connection busy. */
  #waiting: number[] = [];

  constructor(requests: readonly Buffer[], job: LoadJob) {
    this.#requests = requests;
    this.#job = job;
    this.#left = job.mostRequests ?? Number.POSITIVE_INFINITY;
  }

  async connect(): Promise<void> {
    for (let index = 0; index < this.#job.connections; index++) {
      const connection = new Connection(
        this.#job.ports[index % this.#job.ports.length] ?? 0,
        (from, status, bytes) => this.#answered(from, status, bytes),
        (error) => this.#fail(error),
      );
      await connection.open();
      this.#connections.push(connection);
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async go(seconds: number): Promise<LoadResult> {
    this.#isRunning = true;
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.stop(), seconds * 1_000);
      this.#finish = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#job.perSecond === undefined) for (const connection of this.#connections) this.#send(connection);
      else this.#keepRate(this.#job.perSecond, startedAt);
    });
    const elapsed = (performance.now() - startedAt) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    if (this.#failure !== null) throw this.#failure;
    const sorted = this.#latencies.subarray(0, this.#count).sort();
    const requests = this.#count;
    return {
      requests,
      seconds: elapsed,
      bytes: this.#bytes,
      statuses: Object.fromEntries(this.#statuses),
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      maxMs: percentile(sorted, 1),
      busy: (cpu.user + cpu.system) / 1e6 / elapsed,
    };
  }

  #send(connection: Connection, dueAt = performance.now()): void {
    if (this.#left <= 0) return;
    this.#left--;
    const request = this.#requests[this.#next];
    this.#next = (this.#next + 1) % this.#requests.length;
    if (request !== undefined) connection.send(request, dueAt);
  }

  #answered(connection: Connection, status: number, bytes: number): void {
    if (!this.#isRunning) return;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#bytes += bytes;
    if (this.#count === this.#latencies.length) {
      const longer = new Float64Array(this.#count * 2);
      longer.set(this.#latencies);
      this.#latencies = longer;
    }
    this.#latencies[this.#count++] = performance.now() - connection.dueAt;
    if (this.#left <= 0) {
      if (!this.#connections.some((one) => one.isBusy)) this.stop();
      return;
    }
    if (this.#job.perSecond === undefined) this.#send(connection);
    else {
      const dueAt = this.#waiting.shift();
      if (dueAt !== undefined) this.#send(connection, dueAt);
    }
  }

  /**
   * Sends requests at their due time, whether or not earlier ones are finished, so that a stall counts for every request it
   * delays.
   */
  #keepRate(perSecond: number, startedAt: number): void {
    let due = 0;
    const tick = () => {
      if (!this.#isRunning) return;
      const now = performance.now();
      for (;;) {
        const dueAt = startedAt + (due * 1_000) / perSecond;
        if (dueAt > now) break;
        due++;
        const idle = this.#connections.find((one) => !one.isBusy);
        if (idle === undefined) this.#waiting.push(dueAt);
        else this.#send(idle, dueAt);
      }
      setTimeout(tick, 1);
    };
    tick();
  }

  stop(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#waiting = [];
    this.#finish();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.stop();
  }
}

class Connection {
  readonly #answered: (from: Connection, status: number, bytes: number) => void;
  readonly #failed: (error: Error) => void;
  readonly #port: number;
  /** Undefined after the server has closed it, which it may do while the connection is idle. */
  #socket: Socket | undefined;
  #status = 0;
  #bytes = 0;
  /** Remaining bytes of the body. */
  #left = 0;
  /** The beginning of an incomplete response head. */
  #partial: Buffer | null = null;
  isBusy = false;
  /** When the request should have been sent, in `performance.now()` time. */
  dueAt = 0;

  constructor(
    port: number,
    answered: (from: Connection, status: number, bytes: number) => void,
    failed: (error: Error) => void,
  ) {
    this.#port = port;
    this.#answered = answered;
    this.#failed = failed;
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const buffer = Buffer.allocUnsafe(64 * 1024);
      const socket = connect({
        port: this.#port,
        host: "127.0.0.1",
        noDelay: true,
        onread: {
          buffer,
          callback: (length) => {
            this.#read(buffer.subarray(0, length));
            return true;
          },
        },
      });
      this.#socket = socket;
      socket.once("connect", () => resolve());
      socket.on("error", (error) => {
        reject(error);
        this.#failed(error);
      });
      socket.on("close", () => {
        this.#socket = undefined;
        if (this.isBusy) this.#failed(new Error("the server closed the connection before it had answered"));
      });
    });
  }

  send(request: Buffer, dueAt: number): void {
    this.isBusy = true;
    this.dueAt = dueAt;
    // Errors are reported through `failed`.
    if (this.#socket === undefined) this.open().catch(() => undefined);
    this.#socket?.write(request);
  }

  close(): void {
    this.isBusy = false;
    this.#socket?.destroy();
  }

  #read(chunk: Buffer): void {
    if (!this.isBusy) return this.#failed(new Error("the server answered where nothing was asked"));
    this.#bytes += chunk.length;
    if (this.#left > 0) {
      this.#left -= chunk.length;
    } else {
      const head = this.#partial === null ? chunk : Buffer.concat([this.#partial, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) {
        this.#partial = Buffer.from(head);
        return;
      }
      this.#partial = null;
      this.#status = numberAt(head, 9);
      const lengthAt = head.indexOf(LENGTH);
      const hasBody = lengthAt >= 0 && lengthAt < end && this.#status !== 304;
      this.#left = (hasBody ? numberAt(head, lengthAt + LENGTH.length) : 0) - (head.length - end - HEAD_END.length);
    }
    if (this.#left > 0) return;
    if (this.#left < 0) return this.#failed(new Error("an answer is longer than its Content-Length"));
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.isBusy = false;
    this.#answered(this, this.#status, bytes);
  }
}

/** Parses the decimal number that begins at `at`. */
function numberAt(bytes: Buffer, at: number): number {
  let number = 0;
  for (let index = at; index < bytes.length; index++) {
    const digit = (bytes[index] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return number;
}
