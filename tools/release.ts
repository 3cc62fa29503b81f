/**
 * `npm run release -- [--dry-run] [VERSION|patch|minor|major]`: makes the next version. It writes the version and the changelog,
 * keeps the version's store for the tests of upgrades, and builds all files from that commit. Then it moves `main` on to the commit and
 * tags it; once the tag is pushed, .github/workflows/release.yml tests, builds and publishes it. With `--dry-run` it changes
 * nothing, and leaves the files in .cache/release to look at.
 *
 * `npm run release -- --build FOLDER [--executable]`: builds the files of the commit that is checked out, or the executable alone.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isLater } from "../src/cli/system/update.ts";
import { findPostgres } from "../test/helpers/postgres-programs.ts";
import {
  buildFiles,
  checkOutAt,
  git,
  type Manifest,
  hasLockedPackages,
  packageFolders,
  readManifest,
  type ReleaseFile,
  ROOT,
} from "./release-files.ts";
import { RENDERED } from "./render-kubernetes.ts";

const BRANCH = "main";
const CACHE = join(ROOT, ".cache", "release");
const USAGE = "Usage: npm run release -- [--dry-run] [VERSION|patch|minor|major] | --build FOLDER [--executable]";
const STEPS = ["major", "minor", "patch"];

class Refusal extends Error {}

try {
  main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function main(): void {
  // The modes of files are packed, too.
  process.umask(0o022);
  const { values, positionals } = parse();
  if (values.build !== undefined) build(resolve(values.build), values.executable !== true);
  else release(positionals[0], values["dry-run"] === true);
}

function parse() {
  try {
    const options = {
      "dry-run": { type: "boolean" },
      build: { type: "string" },
      executable: { type: "boolean" },
    } as const;
    const parsed = parseArgs({ options, allowPositionals: true });
    if (parsed.positionals.length < 2) return parsed;
  } catch {
    // Said below.
  }
  throw new Refusal(USAGE);
}

function build(output: string, withPackages: boolean): void {
  const folder = join(CACHE, "checkout");
  using _checkout = checkOutAt("HEAD", folder);
  rmSync(output, { recursive: true, force: true });
  printFiles(buildFiles(folder, output, withPackages), output);
}

function release(wanted: string | undefined, isDryRun: boolean): void {
  const version = nextVersion(wanted);
  const problems = findProblems(version);
  if (problems.length > 0 && !isDryRun) throw new Refusal(problems.join("\n"));
  const folder = join(CACHE, "checkout");
  const output = join(CACHE, version);
  using _checkout = checkOutAt("HEAD", folder);
  runIn(folder, "tools/keep-store.ts", version);
  const changes = writeVersion(folder, version);
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", `release: ${version}`);
  const commit = git(folder, "rev-parse", "HEAD");
  print(
    `Rostrum ${version}, commit ${commit.slice(0, 12)}\n\n${changes}\n\n${git(folder, "show", "--stat", "--format=", "HEAD")}\n`,
  );
  rmSync(output, { recursive: true, force: true });
  printFiles(buildFiles(folder, output), output);
  if (isDryRun) {
    print("A dry run: nothing was changed.");
    if (problems.length > 0) throw new Refusal(`A release would be refused:\n${problems.join("\n")}`);
    return;
  }
  git(ROOT, "merge", "--quiet", "--ff-only", commit);
  const message = join(output, "..", "message");
  writeFileSync(message, `Rostrum ${version}\n\n${changes}\n`);
  git(ROOT, "tag", "--annotate", "--cleanup=verbatim", "--file", message, `v${version}`, commit);
  rmSync(message);
  print(
    `${BRANCH} is at ${commit.slice(0, 12)}, with the tag v${version}. To publish it: git push origin ${BRANCH} v${version}`,
  );
}

/** @returns the version in package.json if that is not released yet and none is named. */
function nextVersion(wanted: string | undefined): string {
  const { version } = readManifest(ROOT);
  if (wanted === undefined) {
    if (!hasTag(version)) return version;
    throw new Refusal(`${version} is released: name the next version, or patch, minor or major.`);
  }
  const step = STEPS.indexOf(wanted);
  if (step >= 0) {
    return parts(version)
      .map((part, index) => (index < step ? part : index === step ? part + 1 : 0))
      .join(".");
  }
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(wanted)) {
    throw new Refusal(`"${wanted}" is no version: name one such as 1.2.3, or patch, minor or major.`);
  }
  return wanted;
}

/** What is wrong with a release from here, each in a sentence that says what to do. */
function findProblems(version: string): string[] {
  const problems: string[] = [];
  const branch = git(ROOT, "branch", "--show-current");
  if (branch !== BRANCH) {
    problems.push(`Releases are made on ${BRANCH}, and this is ${branch || "no branch"}: run git switch ${BRANCH}.`);
  }
  const changed = git(ROOT, "status", "--porcelain").split("\n").filter(Boolean);
  if (changed.length > 0) {
    problems.push(`There are changes that are not committed, such as ${changed[0]?.slice(3)}: commit or stash them.`);
  }
  const tags = git(ROOT, "tag", "--list", "v*").split("\n").filter(Boolean);
  const later = tags.map((tag) => tag.slice(1)).filter((one) => one !== version && isLater(one, version));
  if (hasTag(version)) problems.push(`The tag v${version} exists: name a later version.`);
  else if (later.length > 0)
    problems.push(`${later[0]} is released, and is later than ${version}: name a later version.`);
  if (!/^- /m.test(unreleased(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")))) {
    problems.push('CHANGELOG.md has no entry under "Unreleased": write what users get.');
  }
  if (findPostgres() === undefined) {
    problems.push("There is no PostgreSQL for the store that is kept (Debian: apt-get install postgresql).");
  }
  if (!hasLockedPackages()) problems.push("node_modules is not what package-lock.json names: run npm ci.");
  return problems;
}

/** Writes the version into all packages and documents, and the changelog. @returns the changelog's section. */
function writeVersion(folder: string, version: string): string {
  const earlier = readManifest(folder).version;
  const repository = findRepository();
  const names = new Set(packageFolders(folder).all.map((path) => readManifest(folder, path).name));
  const renew = ({ dependencies = {} }: Pick<Manifest, "dependencies">) => {
    for (const name of Object.keys(dependencies)) if (names.has(name)) dependencies[name] = version;
  };
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as Manifest & {
    packages: Record<string, Manifest>;
  };
  lock.version = version;
  for (const path of packageFolders(folder).all) {
    const manifest = readManifest(folder, path);
    const locked = lock.packages[path === "." ? "" : path];
    if (locked === undefined) throw new Error(`package-lock.json has no ${path}`);
    for (const one of [manifest, locked]) {
      one.version = version;
      renew(one);
    }
    if (repository !== null) {
      manifest.repository = { type: "git", url: repository, ...(path === "." ? {} : { directory: path }) };
    }
    writeJson(join(folder, path, "package.json"), manifest);
  }
  writeJson(join(folder, "package-lock.json"), lock);
  for (const path of earlier === version ? [] : filesWith(folder, `-${earlier}.tgz`)) {
    const text = readFileSync(join(folder, path), "utf8");
    writeFileSync(join(folder, path), text.replaceAll(`-${earlier}.tgz`, `-${version}.tgz`));
  }
  for (const path of ["deploy/helm/rostrum/Chart.yaml", ...Object.keys(RENDERED)]) {
    const text = readFileSync(join(folder, path), "utf8");
    writeFileSync(join(folder, path), text.replaceAll(earlier, version));
  }
  const changelog = join(folder, "CHANGELOG.md");
  const text = readFileSync(changelog, "utf8");
  const section = unreleased(text);
  const heading = `## ${version} – ${new Date().toISOString().slice(0, 10)}`;
  writeFileSync(
    changelog,
    text.replace(`## Unreleased\n${section}`, () => `## Unreleased\n\n${heading}\n${section}`),
  );
  return `${heading}\n\n${section.trim()}`;
}

/** Runs a tool of the checkout. */
function runIn(checkout: string, ...args: string[]): void {
  execFileSync(process.execPath, args, { cwd: checkout, stdio: ["ignore", "ignore", "inherit"] });
}

function filesWith(folder: string, text: string): string[] {
  try {
    return git(folder, "grep", "--files-with-matches", "--fixed-strings", "-e", text).split("\n");
  } catch {
    return [];
  }
}

/** The address of the checkout's repository, which npm compares with that of the workflow; null: it has none. */
function findRepository(): string | null {
  try {
    const url = git(ROOT, "remote", "get-url", "origin").replace(/^git@([^:]+):/, "https://$1/");
    return url.startsWith("https://") ? `git+${url.replace(/(?:\.git)?$/, ".git")}` : null;
  } catch {
    return null;
  }
}

/** What stands below the heading "Unreleased". */
function unreleased(changelog: string): string {
  return /^## Unreleased\n(.*?)(?=^## |$(?![^]))/ms.exec(changelog)?.[1] ?? "";
}

function hasTag(version: string): boolean {
  return git(ROOT, "tag", "--list", `v${version}`) !== "";
}

function parts(version: string): number[] {
  return version.split(".").map(Number);
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function printFiles(files: readonly ReleaseFile[], folder: string): void {
  for (const { name, bytes, sha256 } of files) {
    print(
      `${sha256}  ${Math.ceil(bytes / 1_000)
        .toLocaleString("en")
        .padStart(7)} kB  ${name}`,
    );
  }
  print(`In ${folder}, with SHA256SUMS.\n`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
