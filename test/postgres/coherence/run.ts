/** `npm run test:coherence -- --callbacks 100000 [--seed N]`: read-your-webhook on three nodes, for any duration. */
import { parseArgs } from "node:util";
import { startPostgres } from "../../helpers/postgres.ts";
import { runLoop } from "./loop.ts";

const { values } = parseArgs({
  options: { callbacks: { type: "string", default: "100000" }, seed: { type: "string" } },
});
const callbacks = Number(values.callbacks);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`${callbacks} callbacks, seed ${seed}`);

await using server = await startPostgres();
const outcome = await runLoop({
  databaseUrl: await server.createDatabase(),
  seed,
  callbacks,
  troubles: { everyMs: 3_000, longestMs: 3_000 },
  onProgress: say,
});
const { violations, errors, missing, reads, notModified, failedReads, troubles, ms } = outcome;
for (const violation of violations.slice(0, 100)) say(`  ${violation}`);
for (const error of errors) say(`  ${String(error)}`);
say(
  `${outcome.callbacks} callbacks in ${Math.round(ms / 1_000)} s (${Math.round((outcome.callbacks / ms) * 1_000)} a second), ` +
    `${reads} reads (${notModified} not modified; ${failedReads} tried again for want of a node)`,
);
say(
  Object.entries(troubles)
    .map(([name, count]) => `${name} ${count}`)
    .join(", "),
);
say(`${violations.length} violations, ${missing} events missing, ${errors.length} errors`);
if (violations.length + missing + errors.length > 0) process.exitCode = 1;
