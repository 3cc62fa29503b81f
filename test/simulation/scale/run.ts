/**
 * `npm run simulate-scale` prints the tables of docs/scale.md; `-- --write` puts them there. With a load of your own it says what to
 * run: `npm run simulate-scale -- --websites 5000 --articles 200 --publications 0.8 --webhooks 2 --reads 300`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConstants } from "./constants.ts";
import type { Load } from "./demand.ts";
import { renderAll, renderLimits, renderSizes } from "./tables.ts";

const FILE = join(import.meta.dirname, "..", "..", "..", "docs", "scale.md");

const LOAD_OPTIONS = {
  websites: { type: "string", default: "1" },
  articles: { type: "string", default: "200" },
  publications: { type: "string", default: "0.1" },
  saves: { type: "string" },
  webhooks: { type: "string", default: "1" },
  reads: { type: "string", default: "10" },
  cdn: { type: "string", default: "0" },
} as const;

/** Replaces each table between `<!-- NAME -->` and the next empty line after it. @throws Error if a place is missing. */
export function withTables(text: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce((result, [name, table]) => {
    const place = new RegExp(`(<!-- ${name} -->\\n\\n)(?:\\|.*\\n)*`);
    if (!place.test(result)) throw new Error(`docs/scale.md has no place for the table "${name}".`);
    return result.replace(place, (_all, head: string) => `${head}${table}\n`);
  }, text);
}

function main(args: readonly string[]): number {
  if (args.length === 0 || args.includes("--write")) {
    const tables = renderAll(readConstants());
    if (args.length > 0) writeFileSync(FILE, withTables(readFileSync(FILE, "utf8"), tables));
    for (const [name, table] of Object.entries(tables)) process.stdout.write(`## ${name}\n\n${table}\n\n`);
    return 0;
  }
  try {
    const { values } = parseArgs({ args: [...args], options: LOAD_OPTIONS });
    const constants = readConstants();
    const load = toLoad(values);
    process.stdout.write(`${renderSizes([{ name: "yours", load }], constants)}\n\n`);
    process.stdout.write(`${renderLimits(load, constants)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function toLoad(values: Record<string, string | undefined>): Load {
  const number = (name: keyof typeof LOAD_OPTIONS, missing?: number) => {
    const text = values[name];
    const value = text === undefined ? missing : Number(text);
    if (value === undefined || !Number.isFinite(value) || value < 0) throw new Error(`--${name} needs a number.`);
    return value;
  };
  const cdnHitRatio = number("cdn");
  if (cdnHitRatio >= 1) throw new Error("--cdn is the share of reads that a CDN answers, below 1, such as 0.95.");
  const publications = number("publications");
  return {
    websites: Math.max(1, number("websites")),
    articlesPerWebsite: number("articles"),
    publications,
    saves: number("saves", publications * 2),
    webhooksPerWebsite: number("webhooks"),
    reads: number("reads"),
    cdnHitRatio,
  };
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
