/** The stores of released versions, as their services left them, and what readers got from them (`npm run keep-store`). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { CliOptions } from "../helpers/cli.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import type { FullStore } from "../helpers/full-store.ts";
import { Client, record, records } from "../helpers/http.ts";

export const KEPT = join(import.meta.dirname, "released");
export const SQLITE = "sqlite.db.gz";
export const POSTGRES = "postgres.sql.gz";
export const RECORDED = "recorded.json.gz";

export interface Recorded {
  /** The hashes of the version's migrations (src/store/migrations/frozen.json). */
  migrations: Record<string, string>;
  store: FullStore;
  answers: Answers;
}

/** By path of the read API, and by website the lines of its export. */
export interface Answers {
  readers: Record<string, unknown>;
  exports: Record<string, unknown[]>;
}

export function keptVersions(): string[] {
  return readdirSync(KEPT);
}

export function readRecorded(version: string): Recorded {
  return JSON.parse(readKept(version, RECORDED).toString()) as Recorded;
}

/** @returns the file's content. */
export function readKept(version: string, file: string): Buffer {
  return gunzipSync(readFileSync(join(KEPT, version, file)));
}

/** Whether the changelog has a section for the version. */
export function isReleased(version: string): boolean {
  return readFileSync(join(import.meta.dirname, "..", "..", "CHANGELOG.md"), "utf8").includes(`\n## ${version} `);
}

/** Reads all that readers can get, and exports all websites. */
export async function readAnswers(url: string, key: string, options: CliOptions): Promise<Answers> {
  using client = new Client(url);
  const readers: Record<string, unknown> = {};
  const get = async (path: string) => {
    const { status, ...reply } = await client.send(`/api/public/${path}`, { headers: { "X-API-Key": key } });
    readers[path] = { status, body: reply.json() };
    return record(record(reply.json())["data"] ?? {});
  };
  const { articles } = await get("articles?limit=100");
  for (const { id } of records(articles)) await get(`articles/${String(id)}`);
  for (const path of ["events?limit=100", "tags", "categories", "redirects"]) await get(path);
  const websites = records((await runCli(["website", "list", "--json"], options)).json());
  const exports: Record<string, unknown[]> = {};
  for (const { id } of websites) {
    const { stdout } = await runCli(["export", "--website", String(id)], options);
    exports[String(id)] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  }
  return { readers, exports };
}
