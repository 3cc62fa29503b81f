/**
 * Whether a text that is eight times as long takes far more than eight times as long: what grows with the square takes 64
 * times. Time is that of the processor, in a thread of its own, so that a machine with other work changes little.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { GROWTH_ENTRIES } from "./entries.ts";
import { GROWTH_INPUTS } from "./inputs.ts";

export interface GrowthJob {
  entry: string;
  input: string;
  lengths: number[];
}

/** Milliseconds for each length. */
export interface GrowthResult {
  costs: number[];
}

const SHORT = 4_000;
const LONG = 8 * SHORT;
/** Half-way between 8 and 64, as factors go, with room for the collector of garbage. */
const MAX_TIMES = 40;
/** Shorter times cannot be told from chance. */
const MIN_MS = 10;
const TURNS = 3;
/** For a job that takes some hundredths of a second: by then it hangs. */
const HANGS_AFTER_MS = 60_000;

/** Each pair of an entry and an input, as a name for both. Empty: time grows with the length everywhere. */
export async function findGrowth(inputs = GROWTH_INPUTS, entries = Object.keys(GROWTH_ENTRIES)): Promise<string[]> {
  const found: string[] = [];
  let worker = await startWorker();
  try {
    for (const entry of entries) {
      for (const { name } of inputs) {
        const verdict = await judge(worker, { entry, input: name, lengths: [SHORT, LONG] });
        if (verdict !== null) found.push(`${entry}: ${name} ${verdict}`);
        if (verdict === HANGS) {
          await worker.terminate();
          worker = await startWorker();
        }
      }
    }
  } finally {
    await worker.terminate();
  }
  return found;
}

const HANGS = `takes more than ${HANGS_AFTER_MS / 1000} s`;

async function judge(worker: Worker, job: GrowthJob): Promise<string | null> {
  // The least of several, because code is slow when it runs for the first time or beside other work.
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < TURNS; turn++) {
    const costs = await run(worker, job);
    if (costs === null) return HANGS;
    const [a = 0, b = 0] = costs;
    [short, long] = [Math.min(short, a), Math.min(long, b)];
    if (long <= MAX_TIMES * MIN_MS) return null;
  }
  if (long <= MAX_TIMES * short) return null;
  return `takes ${long.toFixed(0)} ms for ${LONG} characters, ${short.toFixed(0)} ms for ${SHORT}`;
}

async function run(worker: Worker, job: GrowthJob): Promise<number[] | null> {
  const hangs = new AbortController();
  const timer = setTimeout(() => hangs.abort(), HANGS_AFTER_MS);
  try {
    const answer = once(worker, "message", { signal: hangs.signal });
    worker.postMessage(job);
    const [{ costs }] = (await answer) as [GrowthResult];
    return costs;
  } catch (error) {
    if (hangs.signal.aborted) return null;
    throw new Error(`${job.entry}: ${job.input} fails`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  await once(worker, "message");
  return worker;
}
