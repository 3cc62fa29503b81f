// Plain JavaScript for Node 20 or newer. If this machine's Node cannot run the service, npm installs one: the version that the
// tests ran on, verified against its hash from package-lock.json.
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

const PROGRAM = process.platform === "win32" ? "node.exe" : "node";
const TAR_BLOCK_BYTES = 512;
/** The program has 150 MB: smaller chunks take longer. */
const CHUNK_BYTES = 1_048_576;

/** The Node that an earlier start installed for the package in the folder `root`; undefined if there is none. */
export function keptNode(root) {
  for (const folder of places(root)) {
    const path = join(folder, "bin", PROGRAM);
    if (existsSync(path)) return path;
  }
  return undefined;
}

/**
 * Installs Node.
 *
 * @param onStart gets npm's child process.
 * @returns the path of the Node binary.
 * @throws Error with a message for the user.
 */
export async function fetchNode(root, onStart) {
  const name = packageName();
  const { version, integrity } = nodePackages(root)[name] ?? {};
  if (version === undefined) throw new Error(`npm has none for ${process.platform} on ${process.arch}`);
  const folder = [...places(root)].find((place) => isWritable(place));
  if (folder === undefined) {
    throw new Error(
      `${join(root, "runtime")} cannot be written, and there is no cache folder that only this user can change`,
    );
  }
  process.stderr.write(
    `Node ${process.version} is too old: installing ${name}@${version} with npm, once, into ${folder}\n`,
  );
  // Installs beside the final location and renames, so that the folder is never incomplete.
  const staging = `${folder}.${process.pid}`;
  try {
    mkdirSync(join(staging, "bin"), { recursive: true });
    await download(staging, `${name}@${version}`, onStart);
    await unpack(staging, integrity);
    renameSync(staging, folder);
  } catch (error) {
    // Another start may have installed it first.
    if (keptNode(root) === undefined) throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return join(folder, "bin", PROGRAM);
}

/**
 * Candidate folders: within the package itself, so that both are removed together; otherwise, e.g. if the package belongs to
 * root, in the user's cache folder.
 */
function* places(root) {
  const { version } = nodePackages(root)[packageName()] ?? {};
  if (version === undefined) return;
  yield join(root, "runtime");
  const cache = userCacheFolder();
  if (cache !== undefined) yield join(cache, `node-${version}`);
}

/** The list that `npm pack` wrote; empty in a checkout. */
function nodePackages(root) {
  try {
    return JSON.parse(readFileSync(join(root, "lib", "node-packages.json"), "utf8"));
  } catch {
    return {};
  }
}

function packageName() {
  return `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
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
async function unpack(folder, integrity) {
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm left no file");
  const hash = createHash("sha512");
  const wanted = new Map([
    [`package/bin/${PROGRAM}`, join(folder, "bin", PROGRAM)],
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
