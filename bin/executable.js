// The code inside of the single executable (tools/build-executable.ts). Node's virtual file system for these serves no threads and
// saves no compiled code, so that the program, which is the package, is unpacked into the user's cache folder, once. The executable
// is also the Node of the processes that the program starts.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { getRawAsset } from "node:sea";
import { pathToFileURL } from "node:url";
import { zstdDecompressSync } from "node:zlib";
import { spawnSync } from "node:child_process";
import { userCacheFolder } from "./cache-folder.js";
import { LEAN_ALLOCATOR, LEAN_FLAGS } from "./lean.js";

/** Both are set by the build. The hash is of the compressed program. */
/* global PROGRAM_VERSION, PROGRAM_HASH */
const NAME = `program-${PROGRAM_VERSION}-${PROGRAM_HASH.slice(0, 16)}`;
const UNFINISHED = "unpacking-";
/** An earlier version may still run, and loads its files when it needs them. */
const MAX_KEPT = 3;
const ABANDONED_MS = 3_600_000;

/** A file of an unpacked program, of any version: group 1 is the program's folder. */
const PROGRAM_FILE = /^(.+[\\/]rostrum[\\/]program-[^\\/]+)[\\/].+\.js$/;

const words = process.argv.slice(2);
/** Flags may stand before it, as in the arguments of a Node: `fork` and a restart pass theirs. */
const first = words.findIndex((word) => !word.startsWith("-"));
const [, folder] = PROGRAM_FILE.exec(words[first] ?? "") ?? [];

if (folder !== undefined) {
  // The executable may have been replaced by a later version's: the file decides which version runs.
  process.execArgv.push(...words.slice(0, first));
  run(folder, words[first], words.slice(first + 1));
} else {
  const args = words[first] === process.execPath ? words.slice(first + 1) : words;
  if (args[0] === "serve" || args[0] === "demo") startLean(args);
  const program = findProgram();
  if (program !== undefined) run(program, join(program, "bin", "rostrum.js"), args);
}

/** Runs the program's file as Node would. */
function run(program, file, args) {
  process.argv.splice(1, Infinity, file, ...args);
  void createRequire(file)(join(program, "bin", "import.js")).load(pathToFileURL(file).href);
}

/** As bin/rostrum.js does. Node takes no flags from the arguments of an executable. */
function startLean(args) {
  const options = (process.env.NODE_OPTIONS ?? "").split(" ").filter((option) => option !== "");
  if (LEAN_FLAGS.every((flag) => options.includes(flag)) && process.env.MALLOC_ARENA_MAX !== undefined) {
    // Not for the programs that this one starts.
    process.env.NODE_OPTIONS = options.filter((option) => !LEAN_FLAGS.includes(option)).join(" ");
    process.execArgv.push(...LEAN_FLAGS);
  } else if (process.platform === "linux" && !process.connected && process.env.LISTEN_FDS === undefined) {
    const environment = { ...LEAN_ALLOCATOR, ...process.env, NODE_OPTIONS: [...LEAN_FLAGS, ...options].join(" ") };
    process.execve(process.execPath, [process.execPath, ...args], environment);
  }
}

/** @returns the folder with this version's program; undefined after a message to the user. */
function findProgram() {
  const cache = userCacheFolder();
  if (cache === undefined) {
    const variable = process.platform === "win32" ? "LOCALAPPDATA" : "XDG_CACHE_HOME";
    return fail(
      "Rostrum unpacks itself once, some 35 MB, into a cache folder that only this user can change, and there is none: " +
        `let ${variable} name one that can be written.`,
    );
  }
  const folder = join(cache, NAME);
  try {
    // Says which versions are in use.
    const now = new Date();
    utimesSync(folder, now, now);
    return folder;
  } catch (error) {
    // Others: a file system that is read-only.
    if (error.code !== "ENOENT") return folder;
  }
  const staging = join(cache, `${UNFINISHED}${process.pid}-${Date.now()}`);
  try {
    unpack(staging);
    renameSync(staging, folder);
    removeOthers(cache);
  } catch (error) {
    // Another start may have been faster.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) {
      return fail(`Rostrum unpacks itself once, into ${cache}, and could not: ${error.message}.`);
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return folder;
}

/** The program is one JSON line with the names and lengths of its files, and then the files. */
function unpack(folder) {
  const compressed = new Uint8Array(getRawAsset("program"));
  if (createHash("sha256").update(compressed).digest("hex") !== PROGRAM_HASH) {
    throw new Error("this file is damaged, get it again");
  }
  const content = zstdDecompressSync(compressed);
  const end = content.indexOf("\n");
  let start = end + 1;
  const folders = new Set();
  for (const [name, length] of JSON.parse(content.subarray(0, end).toString())) {
    const path = join(folder, name);
    const parent = dirname(path);
    if (!folders.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
    folders.add(parent);
    writeFileSync(path, content.subarray(start, (start += length)), { flag: "wx" });
  }
  // Before the folder gets its name, so that it is whole after a loss of power. One call for all of them; where there is no such
  // command, the system writes within half a minute.
  spawnSync("sync", ["-f", folder], { stdio: "ignore" });
}

function removeOthers(cache) {
  const programs = [];
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const { mtimeMs } = statSync(path);
    if (name.startsWith("program-")) programs.push({ path, mtimeMs });
    else if (name.startsWith(UNFINISHED) && mtimeMs < Date.now() - ABANDONED_MS) rmSync(path, { recursive: true });
  }
  programs.sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { path } of programs.slice(MAX_KEPT)) rmSync(path, { recursive: true, force: true });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
