/** `backup list` and `backup verify`: what a continuous backup can bring back, and whether it does. */
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beginning, findMissingIndex, listGenerations, listLog, toTime } from "../../backup/copies.ts";
import { explained } from "../../backup/explain.ts";
import type { BackupObjects } from "../../backup/objects.ts";
import { readConfig } from "../../process/settings/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { temporaryPrefix } from "../../domain/system/temporary-names.ts";
import { listAssetSizes } from "../../store/articles/assets.ts";
import { openSqlite } from "../../store/engine/sqlite/sqlite.ts";
import { appliedMigrations } from "../../store/migrations.ts";
import type { Snapshot } from "../../store/store.ts";
import { countContents, listWebsites } from "../../store/system/websites.ts";
import { type Command, parseOptions } from "../command.ts";
import { writable } from "../files.ts";
import { formatTable } from "../output.ts";
import { bringDatabase, openCopies, parsePast } from "./copies.ts";

const FROM = "--from  where the copies are, as in ROSTRUM_BACKUP_URL, which is the default";
/** The service makes a snapshot every day, and twice that is late. */
const MAX_SNAPSHOT_AGE_MS = 2 * DAY_MS;
const PICTURES = "pictures/";

export const list: Command = {
  summary: "show what a continuous backup can bring back",
  help: `Usage: rostrum backup list [--from URL] [--json]

Shows from when to when the database can be restored, to any second. The service begins a new line when it had to begin the copies
again, as after a restore; between two lines nothing was copied, and a time there brings back the end of the line before it.

  ${FROM}`,
  async run(args, io) {
    const { values } = parseOptions(args, { from: { type: "string" }, json: { type: "boolean" } });
    const { place, objects, url } = openCopies(io, readConfig(io.environment, io.directory), values.from);
    const { ranges, pictures } = await explained(place, async () => ({
      ranges: await listRanges(objects),
      pictures: await listPictures(objects),
    }));
    const bytes = [...pictures.values()].reduce((sum, size) => sum + size, 0);
    if (values.json) {
      io.out(`${JSON.stringify({ from: url, ranges, pictures: { files: pictures.size, bytes } })}\n`);
      return;
    }
    if (ranges.length === 0) io.err(`There are no copies of a database in ${url}.\n`);
    else io.out(formatTable(ranges.map(toRow), ["from", "to", "snapshots", "size", "complete"], io.columns));
    io.out(`Pictures: ${pictures.size}, ${describeBytes(bytes)}\n`);
  },
};

export const verify: Command = {
  summary: "check a continuous backup by restoring it",
  help: `Usage: rostrum backup verify [--from URL] [--at TIME] [--json]

Restores the database into a temporary folder (of TMPDIR), checks all of it, and removes it again; then checks that the pictures
of its articles are in the copies. It changes nothing and runs beside the service. It exits with 1 when anything is missing, or when the copies
are two days old: run it every night.

  ${FROM}
  --at    a time such as 2026-11-29T08:00:00Z; by default, what was copied last`,
  async run(args, io) {
    const options = { from: { type: "string" }, at: { type: "string" }, json: { type: "boolean" } } as const;
    const { values } = parseOptions(args, options);
    const at = parsePast(values.at);
    const copies = openCopies(io, readConfig(io.environment, io.directory), values.from);
    const { url, place, objects } = copies;
    const startedAt = performance.now();
    await using folder = await mkdtempDisposable(join(tmpdir(), temporaryPrefix("restore")));
    const { database, plan } = await writable(folder.path, () => bringDatabase(io, copies, at, folder.path));
    const found = await inspect(database);
    if (found.problem !== null) {
      throw new AppError("invalid", `The copies in ${url} do not make a whole database: ${found.problem}.`);
    }
    const there = await explained(place, () => listPictures(objects));
    const missing = found.assets.filter(({ key, bytes }) => there.get(key) !== bytes).map(({ key }) => key);
    const { websites, articles } = found;
    const state = toTime(plan.reaches);
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    const facts = { from: url, at: state, websites, articles, pictures: found.assets.length, missing, seconds };
    if (values.json) io.out(`${JSON.stringify(facts)}\n`);
    else {
      io.out(
        `${url} as of ${state} was restored in ${seconds} s: ${websites} websites, ${articles} articles, ${found.assets.length} pictures.\n`,
      );
    }
    if (missing.length > 0) {
      throw new AppError("invalid", `${missing.length} of the pictures are missing in ${url}, such as ${missing[0]}.`);
    }
    if (at === null && plan.snapshot.at < Date.now() - MAX_SNAPSHOT_AGE_MS) {
      throw new AppError(
        "invalid",
        `Nothing was copied to ${url} since ${state}: does the service run, with it as ROSTRUM_BACKUP_URL?`,
      );
    }
  },
};

interface Range {
  generation: string;
  from: string;
  to: string;
  /** Their times. */
  snapshots: string[];
  bytes: number;
  /** Whether no part of the log is known to be missing; "verify" reads them all. */
  complete: boolean;
}

async function listRanges(objects: BackupObjects): Promise<Range[]> {
  const ranges: Range[] = [];
  for (const generation of await listGenerations(objects)) {
    const { id, snapshots } = generation;
    const [first] = snapshots;
    if (first === undefined) continue;
    const log = await listLog(objects, generation, first.index);
    ranges.push({
      generation: id,
      from: toTime(beginning(generation)),
      to: toTime(Math.max(log.at(-1)?.at ?? 0, snapshots.at(-1)?.at ?? 0)),
      snapshots: snapshots.map(({ at }) => toTime(at)),
      bytes: [...snapshots, ...log].reduce((sum, { bytes }) => sum + bytes, 0),
      complete: findMissingIndex(first.index, log) === undefined,
    });
  }
  return ranges;
}

function toRow({ from, to, snapshots, bytes, complete }: Range) {
  return { from, to, snapshots: snapshots.length, size: describeBytes(bytes), complete: complete ? "yes" : "no" };
}

/** Sizes by key. */
async function listPictures(objects: BackupObjects): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const website of await objects.listFolders(PICTURES)) {
    for await (const { key, bytes } of objects.list(`${PICTURES}${website}/`))
      sizes.set(key.slice(PICTURES.length), bytes);
  }
  return sizes;
}

async function inspect(database: string) {
  await using store = openSqlite(database);
  const [damage] = await store.integrityProblems("full");
  if (damage !== undefined) return { problem: `it is damaged (${damage})` };
  return store.read(async (db: Snapshot) => {
    if ((await appliedMigrations(db)).length === 0) return { problem: "it has no data of Rostrum" };
    const websites = await listWebsites(db);
    let articles = 0;
    for (const { id } of websites) articles += (await countContents(db, id)).articles;
    return { problem: null, websites: websites.length, articles, assets: await listAssetSizes(db) };
  });
}

function describeBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
