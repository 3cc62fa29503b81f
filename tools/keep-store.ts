/**
 * `npm run keep-store`, a part of `npm run freeze-migrations` and of `npm run release`: keeps a store of this version with data of every
 * kind, for both engines, and what readers get from it, for the tests of upgrades (test/upgrades/released). The store of a
 * version that is released stays as it is; that of the version to come is made again whenever the migrations change.
 *
 * `-- VERSION` makes that version's store in any case.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { constants, gzipSync } from "node:zlib";
import { FROZEN } from "../src/store/schema.ts";
import { cliJson, type CliOptions, serveCli } from "../test/helpers/cli.ts";
import { tempFolder } from "../test/helpers/folder.ts";
import { fillStore, FULL_STORE_SETTINGS } from "../test/helpers/full-store.ts";
import { findPostgres } from "../test/helpers/postgres-programs.ts";
import { startPostgres } from "../test/helpers/postgres.ts";
import { ScriptedReceiver } from "../test/helpers/webhooks.ts";
import {
  isReleased,
  KEPT,
  POSTGRES,
  readAnswers,
  readRecorded,
  RECORDED,
  type Recorded,
  SQLITE,
} from "../test/upgrades/kept-store.ts";
import { readManifest, ROOT } from "./release-files.ts";

const [named] = process.argv.slice(2);
const version = named ?? readManifest(ROOT).version;
const migrations = Object.fromEntries(Object.entries(FROZEN).map(([name, { sha256 }]) => [name, sha256]));

if (named !== undefined || (!isReleased(version) && !isKept())) {
  await keepStore();
  process.stdout.write(`test/upgrades/released/${version} is made.\n`);
}

function isKept(): boolean {
  return existsSync(join(KEPT, version, RECORDED)) && isDeepStrictEqual(readRecorded(version).migrations, migrations);
}

async function keepStore(): Promise<void> {
  await using folder = await tempFolder();
  await using server = await startPostgres();
  const target = join(KEPT, version);
  mkdirSync(target, { recursive: true });
  const [filled, copy] = [folder.at("filled.db"), folder.at("copy.db")];
  // Gone when the store is opened again: one delivery is still waiting for it.
  const receiver = await ScriptedReceiver.start();
  const store = await fillStore({ DATABASE_URL: `sqlite:${filled}` }, receiver);
  await receiver[Symbol.asyncDispose]();
  const options = (url: string): CliOptions => ({
    cwd: folder.path,
    data: folder.at("data"),
    env: { ...FULL_STORE_SETTINGS, DATABASE_URL: url },
  });
  using database = new DatabaseSync(filled);
  database.prepare("VACUUM INTO ?").run(copy);
  writeFileSync(join(target, SQLITE), compress(readFileSync(copy)));

  const url = await server.createDatabase();
  await cliJson(["migrate-store", "--to", url], options(`sqlite:${filled}`));
  const dump = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100", `--dbname=${url}`];
  const sql = execFileSync(join(findPostgres() ?? "", "pg_dump"), dump, { encoding: "utf8", maxBuffer: 1024 ** 3 });
  // Lines for psql alone, in which newer versions write a random word.
  writeFileSync(join(target, POSTGRES), compress(Buffer.from(sql.replaceAll(/^\\.*\n/gm, ""))));

  await using serving = await serveCli(options(`sqlite:${copy}`));
  const answers = await readAnswers(serving.url, store.key, options(`sqlite:${copy}`));
  const recorded: Recorded = { migrations, store, answers };
  writeFileSync(join(target, RECORDED), compress(Buffer.from(JSON.stringify(recorded))));
}

function compress(bytes: Buffer): Buffer {
  return gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
}
