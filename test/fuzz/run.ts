/**
 * `npm run fuzz -- [--target api|content|admin|markdown] [--seconds 60] [--runs N] [--seed N] [--path PATH]`: throws generated
 * input at a real service on this machine, on a temporary folder. Each target gets the seconds; the seed and the smallest case
 * that fails are printed, with the command that runs it again.
 *
 * `npm run fuzz -- --renderers [--runs 20000] [--seed N] [--articles FOLDER]…`: delivers articles as Markdown, has every renderer
 * that this machine has render them with raw HTML switched on, and prints how often something was live.
 */
import { parseArgs } from "node:util";
import { runCampaign, TARGETS, type Target } from "./campaign.ts";
import { OWN_ARTICLES } from "./markdown.ts";
import { compareRenderers } from "./installed.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    seconds: { type: "string", default: "60" },
    runs: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    path: { type: "string" },
    renderers: { type: "boolean", default: false },
    articles: { type: "string", multiple: true, default: [] },
  },
});

const target = TARGETS.find((one) => one === values.target);
const seed = Number(values.seed);
const seconds = Number(values.seconds);
const runs = Number(values.runs);
if ((values.target !== undefined && target === undefined) || ![seed, seconds, runs].every((one) => one >= 0)) {
  process.stderr.write(`--target is one of ${TARGETS.join(", ")}; --seed, --seconds and --runs are numbers.\n`);
  process.exitCode = 2;
} else if (values.renderers) {
  const folders = [OWN_ARTICLES, ...values.articles];
  for (const line of compareRenderers({ folders, runs: Math.min(runs, 20_000), seed }))
    process.stdout.write(`${line}\n`);
} else {
  for (const one of target === undefined ? TARGETS : [target]) await fuzz(one);
}

async function fuzz(one: Target): Promise<void> {
  process.stdout.write(`${one}: seed ${seed}\n`);
  const { cases, failure } = await runCampaign({
    target: one,
    seed,
    seconds,
    runs,
    ...(values.path === undefined ? {} : { path: values.path }),
  });
  process.stdout.write(failure === null ? `${one}: ${cases} cases, nothing failed\n` : `${failure}\n`);
  if (failure !== null) process.exitCode = 1;
}
