/**
 * The files of a release, built from one commit in a folder of its own: nothing else that lies in the checkout gets in, and two
 * builds of a commit with the same Node and npm are the same bytes (`npm run test:release`).
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";

export const ROOT = join(import.meta.dirname, "..");
const SUMS = "SHA256SUMS";
/** What npm has installed. */
const INSTALLED = "node_modules/.package-lock.json";
/** What npm and git need of the environment; anything else could change what is built. */
const PASSED_ON =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|SystemRoot|ComSpec|PATHEXT|APPDATA|npm_config_(?:cache|registry|userconfig))$/i;

export interface ReleaseFile {
  name: string;
  bytes: number;
  sha256: string;
}

export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  repository?: { type: string; url: string; directory?: string };
  workspaces?: string[];
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
}

interface Lock {
  packages: Record<string, { version?: string; optional?: boolean; devOptional?: boolean }>;
}

/** Runs git in a folder. @returns its output. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
}

export function readManifest(checkout: string, path = "."): Manifest {
  return JSON.parse(readFileSync(join(checkout, path, "package.json"), "utf8")) as Manifest;
}

/** The folders of all packages, from the root's; those that are published. */
export function packageFolders(checkout: string): { all: string[]; published: string[] } {
  const workspaces = readManifest(checkout).workspaces ?? [];
  const published = workspaces.filter((path) => readManifest(checkout, path).private !== true);
  return { all: [".", ...workspaces], published: [".", ...published] };
}

/** A worktree of the commit, with the checkout's packages by hard links. Dispose it to remove it. */
export function checkOutAt(commit: string, folder: string): Disposable {
  // Left over from a run that was killed.
  rmSync(folder, { recursive: true, force: true });
  git(ROOT, "worktree", "prune");
  git(ROOT, "worktree", "add", "--quiet", "--detach", folder, commit);
  for (const path of packageFolders(folder).all) {
    const packages = join(ROOT, path, "node_modules");
    if (existsSync(packages)) linkFolder(packages, join(folder, path, "node_modules"));
  }
  return { [Symbol.dispose]: () => git(ROOT, "worktree", "remove", "--force", folder) };
}

/** Whether the packages that are installed are those of package-lock.json, but for optional ones of other platforms. */
export function hasLockedPackages(): boolean {
  const read = (path: string) => (JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Lock).packages;
  if (!existsSync(join(ROOT, INSTALLED))) return false;
  const installed = read(INSTALLED);
  return Object.entries(read("package-lock.json")).every(
    ([path, { version, optional, devOptional }]) =>
      !path.includes("node_modules/") ||
      installed[path]?.version === version ||
      (installed[path] === undefined && (optional ?? devOptional ?? false)),
  );
}

/**
 * Builds into `output`: the packages, the list of their parts (SBOM), and the executable of this platform; then a statement of what
 * they were built from, and the sums of all.
 *
 * @param checkout is a checkout of one commit without changes. @param withPackages: else only the executable.
 */
export function buildFiles(checkout: string, output: string, withPackages = true): ReleaseFile[] {
  mkdirSync(output, { recursive: true });
  const environment = buildEnvironment(checkout);
  const npm = (...args: string[]) => runNpm(args, { cwd: checkout, env: environment });
  const { version } = readManifest(checkout);
  if (withPackages) {
    const folders = packageFolders(checkout).published.map((path) => (path === "." ? path : `./${path}`));
    npm("pack", "--silent", "--pack-destination", output, ...folders);
    copyFileSync(join(checkout, "sbom.cdx.json"), join(output, `rostrum-${version}.sbom.cdx.json`));
  }
  const tarball = withPackages ? ["--", "--tarball", join(output, `rostrum-${version}.tgz`)] : [];
  npm("run", "--silent", "build:executable", ...tarball);
  for (const name of readdirSync(join(checkout, "dist")))
    copyFileSync(join(checkout, "dist", name), join(output, name));
  const built = readFiles(output);
  const statement = `rostrum-${version}.${process.platform}-${process.arch}.provenance.json`;
  writeFileSync(
    join(output, statement),
    `${JSON.stringify(describeBuild(checkout, built, npm("--version")), null, 2)}\n`,
  );
  const files = readFiles(output);
  writeFileSync(join(output, SUMS), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(""));
  return files;
}

/** An in-toto statement with the provenance of SLSA: what was built from which commit, with which programs. It holds no time. */
function describeBuild(checkout: string, files: readonly ReleaseFile[], npm: string): object {
  const { repository, version } = readManifest(checkout);
  const lock = createHash("sha256")
    .update(readFileSync(join(checkout, "package-lock.json")))
    .digest("hex");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "npm run release -- --build",
        externalParameters: { version },
        resolvedDependencies: [
          { uri: repository?.url ?? "git", digest: { gitCommit: git(checkout, "rev-parse", "HEAD") } },
          { name: "package-lock.json", digest: { sha256: lock } },
          { name: "node", annotations: { version: process.version, platform: `${process.platform}-${process.arch}` } },
          { name: "npm", annotations: { version: npm } },
        ],
      },
      runDetails: { builder: { id: "tools/release.ts" } },
    },
  };
}

function buildEnvironment(checkout: string): Record<string, string> {
  // oxlint-disable-next-line no-restricted-properties -- what npm and git need of it
  const given = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)) as [string, string][];
  const environment = Object.fromEntries(given);
  return {
    ...environment,
    // The Node that runs this, whatever others the machine has.
    PATH: [dirname(process.execPath), environment["PATH"] ?? ""].join(delimiter),
    SOURCE_DATE_EPOCH: git(checkout, "log", "-1", "--format=%ct"),
    TZ: "UTC",
    LC_ALL: "C",
  };
}

function runNpm(args: readonly string[], options: { cwd: string; env: Record<string, string> }): string {
  // oxlint-disable-next-line no-restricted-properties -- the npm that runs this script
  const npm = process.env["npm_execpath"];
  const [program, ...first] = npm === undefined ? ["npm"] : [process.execPath, npm];
  return execFileSync(program ?? "npm", [...first, ...args], {
    ...options,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: npm === undefined && process.platform === "win32",
  }).trim();
}

function readFiles(folder: string): ReleaseFile[] {
  return readdirSync(folder)
    .filter((name) => name !== SUMS)
    .toSorted()
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      return { name, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
    });
}

/** Hard links, where both folders are on one disk: some 50,000 files. */
function linkFolder(source: string, target: string): void {
  mkdirSync(target);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    // Caches, which are not what npm has installed.
    if (entry.isDirectory() && /^\.(?!bin$)/.test(entry.name)) continue;
    if (entry.isDirectory()) linkFolder(from, to);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else linkFile(from, to);
  }
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
