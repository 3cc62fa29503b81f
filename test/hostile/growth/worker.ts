/** Runs what it is sent, one after another, and answers how much of the processor's time each took. */
import { parentPort } from "node:worker_threads";
import { AppError } from "../../../src/domain/system/errors.ts";
import { GROWTH_ENTRIES, PLANTED } from "./entries.ts";
import { GROWTH_INPUTS } from "./inputs.ts";
import type { GrowthJob, GrowthResult } from "./measure.ts";

parentPort?.on("message", (job: GrowthJob) => void measure(job));
parentPort?.postMessage({ costs: [] } satisfies GrowthResult);

async function measure({ entry, input, lengths }: GrowthJob): Promise<void> {
  const read = GROWTH_ENTRIES[entry] ?? PLANTED[entry];
  const made = GROWTH_INPUTS.find(({ name }) => name === input);
  if (read === undefined || made === undefined) throw new Error(`there is no ${entry} or no ${input}`);
  const costs: number[] = [];
  for (const length of lengths) {
    const text = made.make(length);
    const before = process.threadCpuUsage();
    try {
      await read(text);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    const { user, system } = process.threadCpuUsage(before);
    costs.push((user + system) / 1000);
  }
  parentPort?.postMessage({ costs } satisfies GrowthResult);
}
