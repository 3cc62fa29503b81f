/** From the start of the process to its first 200, on a database of 10,000 articles. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Section } from "./report.ts";
import type { Bench } from "./bench.ts";
import { type RostrumOptions, startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";

const ROUNDS = 11;
const GOAL_S = 0.15;

export const start: Bench = async ({ articles }): Promise<Section> => {
  const seeded = await articles();
  const launcher = olderNode();
  const warm: number[] = [];
  const cold: number[] = [];
  const launched: number[] = [];
  // Fills the compile cache and the file cache of the operating system.
  await timedStart(seeded);
  for (let round = 0; round < ROUNDS; round++) {
    warm.push(await timedStart(seeded));
    if (launcher !== null) launched.push(await timedStart({ ...seeded, node: launcher.path }));
    const cache = mkdtempSync(join(tmpdir(), "rostrum-bench-cache-"));
    cold.push(await timedStart({ ...seeded, environment: { NODE_COMPILE_CACHE: cache } }));
    rmSync(cache, { recursive: true });
  }
  const seconds = median(warm);
  return {
    figures: [
      {
        what: `start to the first 200, ${seeded.count.toLocaleString("en-US")} articles`,
        value: spread(warm),
        goal: `≤ ${GOAL_S} s`,
        met: seconds <= GOAL_S,
      },
      { what: "the same with an empty compile cache", value: spread(cold) },
      {
        what: `the same through the launcher, on Node ${launcher?.version ?? "below 26"}`,
        value: launcher === null ? "none here" : spread(launched),
      },
    ],
    notes: [`${ROUNDS} interleaved starts of each, not pinned; the first request is a list of twenty.`],
  };
};

/** Formats the median and the range. */
export function spread(seconds: readonly number[]): string {
  return `${median(seconds).toFixed(3)} s (${Math.min(...seconds).toFixed(3)}–${Math.max(...seconds).toFixed(3)})`;
}

export async function timedStart(options: RostrumOptions): Promise<number> {
  await using rostrum = await startRostrum({ ...options, isPinned: false });
  return rostrum.startSeconds;
}

/** A Node older than 26 on the PATH: the launcher then starts the one that is installed beside the packages. */
function olderNode(): { path: string; version: string } | null {
  let paths: string[];
  try {
    paths = execFileSync("which", ["-a", "node"], { encoding: "utf8" }).trim().split("\n");
  } catch {
    return null;
  }
  for (const path of paths) {
    const version = execFileSync(path, ["--version"], { encoding: "utf8" }).trim().slice(1);
    if (Number.parseInt(version, 10) < 26) return { path, version };
  }
  return null;
}
