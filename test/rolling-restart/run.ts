/**
 * `npm run rolling-restart -- [--proxy nginx|haproxy] [--rounds 10] [--nodes 3] [--reads 100] [--writes 10] [--drain 5]`:
 * restarts processes on a PostgreSQL of its own behind the proxies of deploy/, both unless one is named, under so many reads
 * and writes a second. Fails when one request fails, or an acknowledged write is missing or doubled.
 *
 * `--upgrade`: the processes that are started again are of a version with more migrations (test/helpers/later-version), so that the first round
 * replaces one process after the other by it, beside those of the earlier version.
 *
 * `--hang 20`: instead, each process stands still for 20 seconds (SIGSTOP). Writes that were sent to it fail then; the slowest
 * requests show what it costs.
 */
import { parseArgs } from "node:util";
import { startPostgres } from "../helpers/postgres.ts";
import { isInstalled, PROXIES } from "./proxy.ts";
import { runRounds } from "./rounds.ts";

const { values } = parseArgs({
  options: {
    proxy: { type: "string" },
    rounds: { type: "string", default: "10" },
    nodes: { type: "string", default: "3" },
    reads: { type: "string", default: "100" },
    writes: { type: "string", default: "10" },
    drain: { type: "string", default: "5" },
    hang: { type: "string", default: "0" },
    upgrade: { type: "boolean", default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const chosen = PROXIES.filter((name) => values.proxy === undefined || values.proxy === name);
if (chosen.length === 0) throw new Error(`--proxy is ${values.proxy}; it must be one of ${PROXIES.join(", ")}`);

for (const proxy of chosen) {
  if (!isInstalled(proxy)) throw new Error(`${proxy} is not installed (Debian: apt-get install ${proxy})`);
  say(`${proxy}:`);
  await using server = await startPostgres({ durable: true });
  const { ms, failures, restarts, missing, doubled, written } = await runRounds(server, {
    proxy,
    nodes: Number(values.nodes),
    rounds: Number(values.rounds),
    readsPerSecond: Number(values.reads),
    writesPerSecond: Number(values.writes),
    drainSeconds: Number(values.drain),
    hangSeconds: Number(values.hang),
    isUpgrade: values.upgrade,
    onProgress: say,
  });
  for (const failure of failures.slice(0, 50)) say(`  ${failure}`);
  for (const [kind, all] of Object.entries(ms)) {
    const at = (part: number) => Math.round(all[Math.floor((all.length - 1) * part)] ?? Number.NaN);
    say(`  ${all.length} ${kind}: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, slowest ${at(1)} ms`);
  }
  say(
    `  ${restarts} restarts, ${failures.length} requests failed; ${written.size} API keys acknowledged, ` +
      `${missing.length} of them missing, ${doubled.length} doubled`,
  );
  if (failures.length + missing.length + doubled.length > 0) process.exitCode = 1;
}
