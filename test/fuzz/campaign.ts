/** One target, fuzzed: cases from a seed, until one fails, which is then made as small as it goes. */
import fc from "fast-check";
import { adminCalls, tryAdmin } from "./admin.ts";
import { apiCall, tryApi } from "./api.ts";
import { tryContent, written } from "./content.ts";
import { articles, OWN_ARTICLES, readArticles, tryMarkdown } from "./markdown.ts";
import { openWorld, type World } from "./world.ts";

export const TARGETS = ["api", "content", "admin", "markdown"] as const;
export type Target = (typeof TARGETS)[number];

const MAX_PRINTED = 4_000;

export interface Campaign {
  target: Target;
  seed: number;
  /** The number of cases at most. */
  runs: number;
  /** Stops after this time; without it only `runs` decides. */
  seconds?: number;
  /** Of a failure that was found before: runs that case alone. */
  path?: string;
}

export interface Outcome {
  cases: number;
  /** What failed, with the smallest case that does and how to run it again; null: nothing. */
  failure: string | null;
}

export async function runCampaign(campaign: Campaign): Promise<Outcome> {
  if (campaign.target === "markdown") return runMarkdown(campaign);
  // What is exported is compared as a whole.
  await using worlds = new Worlds(campaign.target !== "content");
  const first = await worlds.open("first");
  // Its start is not a part of the first case's time.
  if (campaign.target === "content") await worlds.open("second");
  return toOutcome(campaign, await fc.check(propertyOf(campaign.target, first, worlds), parameters(campaign)));
}

/** Without a service: what is delivered is derived here. */
function runMarkdown(campaign: Campaign): Outcome {
  const property = fc.property(articles(readArticles([OWN_ARTICLES])), tryMarkdown);
  return toOutcome(campaign, fc.check(property, parameters(campaign)));
}

function parameters({ seed, runs, seconds, path }: Campaign): fc.Parameters<unknown> {
  return {
    seed,
    numRuns: runs,
    ...(seconds === undefined ? {} : { interruptAfterTimeLimit: seconds * 1_000 }),
    ...(path === undefined ? {} : { path }),
  };
}

function toOutcome(campaign: Campaign, details: fc.RunDetails<unknown>): Outcome {
  // An interruption by the clock is the end, not a failure; fast-check says so only when it has run no case.
  return { cases: details.numRuns, failure: details.counterexample === null ? null : describe(campaign, details) };
}

/** Started when they are needed first, and anew when they have died. */
class Worlds implements AsyncDisposable {
  readonly #open = new Map<string, World>();
  readonly #withArticles: boolean;

  constructor(withArticles: boolean) {
    this.#withArticles = withArticles;
  }

  async open(name: string): Promise<World> {
    const known = this.#open.get(name);
    if (known?.isAlive() === true) return known;
    await known?.[Symbol.asyncDispose]();
    const world = await openWorld(this.#withArticles);
    this.#open.set(name, world);
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const world of this.#open.values()) await world[Symbol.asyncDispose]();
  }
}

function propertyOf(target: Exclude<Target, "markdown">, first: World, worlds: Worlds): fc.IAsyncProperty<unknown> {
  const on = async (attempt: (world: World) => Promise<void>) => {
    const world = await worlds.open("first");
    try {
      await attempt(world);
    } finally {
      await world.assertWell();
    }
  };
  if (target === "api") return fc.asyncProperty(apiCall, (call) => on((world) => tryApi(world, call)));
  if (target === "admin") return fc.asyncProperty(adminCalls(first), (calls) => on((world) => tryAdmin(world, calls)));
  return fc.asyncProperty(written, async (one) => {
    const other = await worlds.open("second");
    await on((world) => tryContent(world, other, one));
    await other.assertWell();
  });
}

function describe({ target }: Campaign, details: fc.RunDetails<unknown>): string {
  const { seed, counterexample, counterexamplePath, errorInstance, numShrinks } = details;
  const message =
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  return [
    `${target}: ${message}`,
    `The smallest case (${numShrinks} steps): ${shortened(JSON.stringify(counterexample))}`,
    `Again: npm run fuzz -- --target ${target} --seed ${seed} --path ${counterexamplePath ?? ""}`,
  ].join("\n");
}

/** The case can be run again by its path, so that a long text need not be printed in full. */
function shortened(text: string): string {
  return text.length <= MAX_PRINTED ? text : `${text.slice(0, MAX_PRINTED)}… (${text.length} characters)`;
}
