/** The processes beside Rostrum when webhooks are measured, and how to talk to them. */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Place } from "./place.ts";
import { startChild } from "./processes.ts";

/** Ports on 127.0.0.1. */
export interface ReceiverPorts {
  answering: number;
  /** Accepts, and never answers. */
  hanging: number;
}

export interface ReceiverJob {
  /** The round ends by itself after so many requests. */
  expected?: number;
  recordsArticles: boolean;
}

/** Times are milliseconds of the machine's monotonic clock. */
export interface ReceiverResult {
  requests: number;
  bytes: number;
  /** How many had arrived, and when: the first, some in between, the last. */
  marks: [count: number, at: number][];
  arrivals: [articleId: string, at: number][];
  /** Of the receiver, during the round. */
  cpuSeconds: number;
}

export interface BareJob {
  port: number;
  /** One undici client each, one request at a time. */
  connections: number;
  count: number;
  /** Sent in turn. */
  messages: { headers: Record<string, string>; body: string }[];
}

export interface PublisherJob extends Pick<Place, "folder" | "environment"> {
  ids: string[];
  /** Open loop: each at its time, whether or not earlier ones are done. Absent: one after the other. */
  perSecond?: number;
}

export interface PublisherResult {
  /** When it was due, and when the publication was acknowledged; milliseconds of the machine's monotonic clock. */
  published: [articleId: string, dueAt: number, doneAt: number][];
  cpuSeconds: number;
}

/** The one line on the receiver's input that is no job. */
export const END = "end";

const MAX_ROUND_MS = 120_000;

export interface Receiver extends AsyncDisposable {
  ports: ReceiverPorts;
  pid: number;
  /** Starts a round; resolves with its end. */
  run(job: ReceiverJob): Promise<ReceiverResult>;
  end(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const child = startScript("webhook-receiver.ts");
  // It says nothing that it was not asked for, but for this.
  const ports = (await child.next()) as ReceiverPorts;
  return {
    ports,
    pid: child.pid,
    run: async (job) => {
      child.tell(JSON.stringify(job));
      // If the sender has gone, what is expected never comes.
      const timer = setTimeout(() => void child.stop(), MAX_ROUND_MS);
      try {
        return (await child.next()) as ReceiverResult;
      } finally {
        clearTimeout(timer);
      }
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
