/**
 * `npm run test:restart -- [--way reload|restart] [--restarts 200] [--upgrades 20] [--reads 50] [--writes 5] [--drain 2]`: both ways
 * unless one is named, under so many reads and writes a second; every second read has a connection of its own. Fails when a request
 * fails or takes a second, when an acknowledged write is missing, or when a webhook does not come exactly once.
 *
 * What restarts is the package that `npm pack` makes of this checkout, as operators run it.
 */
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { parseArgs } from "node:util";
import { runNpm } from "../../tools/sbom.ts";
import { tempFolder } from "../helpers/folder.ts";
import { runRounds, WAYS } from "./rounds.ts";
import { WITHOUT_NOTIFY } from "./systemd.ts";

const MAX_MS = 1_000;

const { values } = parseArgs({
  options: {
    way: { type: "string" },
    restarts: { type: "string", default: "200" },
    upgrades: { type: "string", default: "20" },
    reads: { type: "string", default: "50" },
    writes: { type: "string", default: "5" },
    drain: { type: "string", default: "2" },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const chosen = WAYS.filter((way) => values.way === undefined || values.way === way);
if (chosen.length === 0) throw new Error(`--way is ${values.way}; it must be one of ${WAYS.join(", ")}`);
if (WITHOUT_NOTIFY !== false) throw new Error(WITHOUT_NOTIFY);

await using folder = await tempFolder();
runNpm(["pack", "--silent", "--pack-destination", folder.path]);
const [tarball = ""] = globSync(folder.at("*.tgz"));
execFileSync("tar", ["-xzf", tarball, "-C", folder.path]);

for (const way of chosen) {
  const result = await runRounds({
    way,
    restarts: Number(values.restarts),
    upgrades: Number(values.upgrades),
    readsPerSecond: Number(values.reads),
    writesPerSecond: Number(values.writes),
    drainSeconds: Number(values.drain),
    packed: folder.at("package"),
    onProgress: say,
  });
  const { ms, failures, written, missing, notOnce, lateness, versions } = result;
  for (const failure of failures.slice(0, 50)) say(`  ${failure}`);
  for (const [kind, all] of Object.entries({ ...ms, "scheduled articles, late": lateness })) {
    const at = (part: number) => Math.round(all[Math.floor((all.length - 1) * part)] ?? Number.NaN);
    say(`  ${all.length} ${kind}: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, slowest ${at(1)} ms`);
  }
  const slow = Object.values(ms).flatMap((all) => all.filter((one) => one >= MAX_MS)).length;
  const upgrades = versions.filter((version, index) => index > 0 && version !== versions[index - 1]).length;
  say(
    `  ${way}: ${versions.length - 1} restarts, ${upgrades} of them to another version; ${failures.length} requests failed, ` +
      `${slow} took a second; ${written.size} writes acknowledged, ${missing.length} of them missing; ` +
      `${notOnce.length} webhooks not exactly once`,
  );
  if (failures.length + slow + missing.length + notOnce.length > 0) process.exitCode = 1;
}
