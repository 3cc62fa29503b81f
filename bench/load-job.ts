/** The protocol between a measurement and the load generator (load.ts). */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CORE, startChild } from "./processes.ts";

export interface LoadJob {
  /** Connections are spread over these ports. */
  ports: readonly number[];
  connections: number;
  seconds: number;
  /** Ends the round early after this many requests. */
  mostRequests?: number;
  /**
   * Open loop: requests per second, timed from when each was due. Absent: closed loop, the next request follows each response.
   */
  perSecond?: number;
  /** Headers of every request. */
  headers: Record<string, string>;
  /** Sent in turn, starting again after the last. */
  requests: { path: string; headers?: Record<string, string> }[];
}

/** Ten pages of the list and each article, in turn, at a fixed rate: what readers of a website ask for. */
export function pagesAndArticles(
  { key, ids }: { key: string; ids: readonly string[] },
  job: { port: number; seconds: number; perSecond: number },
): LoadJob {
  return {
    ports: [job.port],
    connections: 10,
    seconds: job.seconds,
    perSecond: job.perSecond,
    headers: { "X-API-Key": key },
    requests: ids.flatMap((id, index) => [
      { path: `/api/public/articles?limit=20&offset=${(index % 10) * 20}` },
      { path: `/api/public/articles/${id}` },
    ]),
  };
}

export interface LoadResult {
  requests: number;
  seconds: number;
  bytes: number;
  statuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Share of one core used by the generator itself. At 0.95 the result describes the generator, not the server. */
  busy: number;
}

/** Above this share the load generator is the bottleneck and there is no ratio. */
export const TOO_BUSY = 0.95;

export interface LoadGenerator extends AsyncDisposable {
  /** @throws when a response has another status than the expected one. */
  run(job: LoadJob, expectedStatus: number): Promise<LoadResult>;
  /** Ends the running job now; its result covers the requests so far. */
  stop(): void;
}

/** The only input line that is not a job. */
export const STOP = "stop";

export function startLoadGenerator({ isPinned = true } = {}): LoadGenerator {
  const child = startChild([process.execPath, join(import.meta.dirname, "load.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
    ...(isPinned ? { core: CORE.load } : {}),
  });
  const { stdin, stdout } = child.process;
  if (stdin === null || stdout === null) throw new Error("the load generator has no pipes");
  const lines = createInterface({ input: stdout });
  const gone = once(child.process, "exit").then(() => null);
  return {
    async run(job, expectedStatus) {
      const answered = once(lines, "line");
      stdin.write(`${JSON.stringify(job)}\n`);
      const [line] = (await Promise.race([answered, gone])) ?? [];
      if (line === undefined) throw new Error("the load generator ended early");
      const result = JSON.parse(String(line)) as LoadResult;
      const others = Object.keys(result.statuses).filter((status) => status !== String(expectedStatus));
      if (others.length > 0 || result.requests === 0) {
        throw new Error(`expected ${expectedStatus} alone, got ${JSON.stringify(result.statuses)}`);
      }
      return result;
    },
    stop: () => void stdin.write(`${STOP}\n`),
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      await child.stop();
    },
  };
}
