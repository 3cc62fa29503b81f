// Plain JavaScript for Node 20 or newer. If this machine's Node cannot run the service, npm installs one: the version that the
// tests ran on, verified against its hash from package-lock.json.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const PROGRAM = process.platform === "win32" ? "node.exe" : "node";

/** The Node that an earlier start installed for the package in the folder `root`; undefined if there is none. */
export function keptNode(root) {
  return places(root)
    .map((folder) => join(folder, "bin", PROGRAM))
    .find((path) => existsSync(path));
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
  const folder = places(root).find((place) => isWritable(place));
  if (folder === undefined) throw new Error(`neither ${places(root).join(" nor ")} can be written`);
  process.stderr.write(
    `Node ${process.version} is too old: installing ${name}@${version} with npm, once, into ${folder}\n`,
  );
  // Installs beside the final location and renames, so that the folder is never incomplete.
  const staging = `${folder}.${process.pid}`;
  try {
    mkdirSync(staging);
    writeProject(staging, { name, version, integrity });
    await install(staging, onStart);
    // The package's C++ headers are a third of its size.
    const installed = join(staging, "node_modules", name);
    mkdirSync(join(staging, "bin"));
    for (const file of [join("bin", PROGRAM), "LICENSE"]) renameSync(join(installed, file), join(staging, file));
    rmSync(join(staging, "node_modules"), { recursive: true });
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
function places(root) {
  const { version } = nodePackages(root)[packageName()] ?? {};
  if (version === undefined) return [];
  return [join(root, "runtime"), join(cacheFolder(), "rostrum", `node-${version}`)];
}

function cacheFolder() {
  if (process.platform === "win32") return process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  return process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
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

/** Writes the project for `npm ci`, which accepts only a package with this hash. */
function writeProject(folder, { name, version, integrity }) {
  const dependencies = { [name]: version };
  const packages = { "": { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
}

function install(folder, onStart) {
  // Overrides options of npx and `npm run` that the environment holds.
  const scope = ["--prefix", ".", "--no-global", "--no-workspaces"];
  const args = ["ci", ...scope, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const child = spawn("npm", args, {
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
