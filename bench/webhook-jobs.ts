/** The helper processes of the webhook measurements, and the protocol for talking to them. */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Place } from "./place.ts";
import { startChild } from "./processes.ts";

/** Ports on 127.0.0.1. */
export interface ReceiverPorts {
  answering: number;
  /** Accepts connections, and never responds. */
  hanging: number;
}

export interface ReceiverJob {
  /** Ends the round after this many requests. */
  expected?: number;
  recordsArticles: boolean;
}

/** Times are milliseconds of the machine's monotonic clock. */
export interface ReceiverResult {
  requests: number;
  bytes: number;
  /** How many requests had arrived, and when: the first, some in between, the last. */
  marks: [count: number, at: number][];
  arrivals: [articleId: string, at: number][];
  /** CPU time of the receiver during the round. */
  cpuSeconds: number;
}

export interface BareJob {
  port: number;
  /** One undici client each, one request at a time. */
  connections: number;
  count: number;
  /** Sent in turn. */
  bodies: string[];
}

export interface PublisherJob extends Pick<Place, "folder" | "environment"> {
  ids: string[];
  /** Open loop: each at its due time, whether or not earlier ones are finished. Absent: one after the other. */
  perSecond?: number;
}

export interface PublisherResult {
  /** When the publication was due, and when it was acknowledged; milliseconds of the machine's monotonic clock. */
  published: [articleId: string, dueAt: number, doneAt: number][];
  cpuSeconds: number;
}

/** The only input line of the receiver that is not a job. */
export const END = "end";

/** A busy disk takes minutes for what an idle one takes seconds for. */
const MAX_ROUND_MS = 600_000;

export interface Receiver extends AsyncDisposable {
  ports: ReceiverPorts;
  pid: number;
  /** Runs a round; resolves when it ends. */
  run(job: ReceiverJob): Promise<ReceiverResult>;
  end(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const child = startScript("webhook-receiver.ts");
  // The first line gives the ports; every later line is a result.
  const ports = (await child.next()) as ReceiverPorts;
  return {
    ports,
    pid: child.pid,
    run: async (job) => {
      child.tell(JSON.stringify(job));
      // If the sender has exited, the expected requests never arrive.
      const timer = setTimeout(() => child.tell(END), MAX_ROUND_MS);
      const result = (await child.next()) as ReceiverResult;
      clearTimeout(timer);
      if (result.requests >= (job.expected ?? 0)) return result;
      throw new Error(`${result.requests} of ${job.expected} webhooks arrived in ${MAX_ROUND_MS / 1_000} s`);
    },
    end: () => child.tell(END),
    [Symbol.asyncDispose]: child.stop,
  };
}

/** Posts with undici alone. @returns CPU seconds of that process while it posted. */
export function runBare(job: BareJob): Promise<{ cpuSeconds: number }> {
  return runScript("webhook-bare.ts", job) as Promise<{ cpuSeconds: number }>;
}

export function runPublisher(job: PublisherJob): Promise<PublisherResult> {
  return runScript("webhook-publisher.ts", job) as Promise<PublisherResult>;
}

async function runScript(name: string, job: BareJob | PublisherJob): Promise<unknown> {
  const child = startScript(name);
  try {
    child.tell(JSON.stringify(job));
    return await child.next();
  } finally {
    await child.stop();
  }
}

function startScript(name: string) {
  const child = startChild([process.execPath, join(import.meta.dirname, name)], { stdio: ["pipe", "pipe", "inherit"] });
  const { stdin, stdout } = child.process;
  if (stdin === null || stdout === null) throw new Error(`${name} has no pipes`);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const gone = once(child.process, "exit");
  return {
    pid: child.pid,
    tell: (line: string) => void stdin.write(`${line}\n`),
    next: async (): Promise<unknown> => {
      const line = await lines.next();
      if (line.done === true) throw new Error(`${name} ended early (${String((await gone)[0])})`);
      return JSON.parse(line.value);
    },
    stop: () => child.stop(),
  };
}
