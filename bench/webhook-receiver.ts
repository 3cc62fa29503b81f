/**
 * The webhook receiver, a separate process on plain sockets. It parses only the length of a request and, in rounds that record
 * it, the article id. Each JSON job per line on standard input starts a round, whose result is one line on standard output; the
 * first line gives the ports. `END` ends the round early. A second port accepts and never responds.
 */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { END, type ReceiverJob, type ReceiverPorts, type ReceiverResult } from "./webhook-jobs.ts";

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = Buffer.from("ontent-length: ");
const LENGTH_AS_UNDICI = Buffer.from("ontent-Length: ");
const ARTICLE = Buffer.from('"article_id":"');
const UUID_LENGTH = 36;

let round: Round | undefined;

const answering = createServer({ noDelay: true }, (socket) => serve(socket, true)).listen(0, "127.0.0.1", 1_024);
const hanging = createServer({ noDelay: true }, (socket) => serve(socket, false)).listen(0, "127.0.0.1", 1_024);
await Promise.all([once(answering, "listening"), once(hanging, "listening")]);
say({ answering: portOf(answering), hanging: portOf(hanging) } satisfies ReceiverPorts);

createInterface({ input: process.stdin })
  .on("line", (line) => {
    // The parent writes nothing else.
    if (line === END) round?.finish();
    else round = new Round(JSON.parse(line) as ReceiverJob);
  })
  .on("close", () => process.exit());

/** Counts requests until the expected number has arrived. */
class Round {
  readonly #job: ReceiverJob;
  readonly #marks: ReceiverResult["marks"] = [];
  readonly #arrivals: ReceiverResult["arrivals"] = [];
  readonly #markEvery: number;
  readonly #cpuBefore = process.cpuUsage();
  #requests = 0;
  #bytes = 0;
  #isDone = false;

  constructor(job: ReceiverJob) {
    this.#job = job;
    this.#markEvery = Math.max(1, Math.ceil((job.expected ?? 0) / MARKS));
  }

  arrived(bytes: number, body: Buffer): void {
    const count = ++this.#requests;
    this.#bytes += bytes;
    if (this.#job.recordsArticles) {
      const at = body.indexOf(ARTICLE) + ARTICLE.length;
      this.#arrivals.push([body.toString("latin1", at, at + UUID_LENGTH), nowMs()]);
    }
    if (count === 1 || count % this.#markEvery === 0 || count === this.#job.expected) {
      this.#marks.push([count, nowMs()]);
    }
    if (count === this.#job.expected) this.finish();
  }

  finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    say({
      requests: this.#requests,
      bytes: this.#bytes,
      marks: this.#marks,
      arrivals: this.#arrivals,
      cpuSeconds: (user + system) / 1e6,
    } satisfies ReceiverResult);
  }
}

const MARKS = 100;

/** Handles sequential requests on a connection; a body may arrive in several chunks. */
function serve(socket: Socket, answers: boolean): void {
  let head: Buffer | null = null;
  let left = 0;
  let bytes = 0;
  let body: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (left > 0) {
      left -= chunk.length;
    } else {
      const text: Buffer = head === null ? chunk : Buffer.concat([head, chunk]);
      const end = text.indexOf(HEAD_END);
      if (end < 0) {
        head = text;
        return;
      }
      head = null;
      body = text.subarray(end + HEAD_END.length);
      left = contentLength(text) - body.length;
      // The id is at the beginning of the body; the part that arrived with the head may end before it.
      if (body.length === 0 && left > 0) {
        head = text;
        left = 0;
        return;
      }
    }
    if (left > 0) return;
    if (left < 0) throw new Error("a request is longer than its Content-Length");
    if (!answers) return;
    socket.write(ANSWER);
    round?.arrived(bytes, body);
    bytes = 0;
  });
}

function contentLength(head: Buffer): number {
  let at = head.indexOf(LENGTH);
  if (at < 0) at = head.indexOf(LENGTH_AS_UNDICI);
  if (at < 0) throw new Error("a request has no Content-Length");
  return Number.parseInt(head.toString("latin1", at + LENGTH.length, at + LENGTH.length + 10), 10);
}

/** Milliseconds of the machine's monotonic clock, which all processes share. */
function nowMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function say(value: ReceiverPorts | ReceiverResult): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
