/**
 * What `npm pack` runs first (`prepack`): builds what the package holds and git does not.
 *
 * - lib/ is src/ as JavaScript, because Node runs no TypeScript below node_modules. Only the types are blanked out: lines and
 *   columns in a stack trace are those of src/.
 * - lib/node_modules holds the packages of the service, as package-lock.json has them, without what only developers need
 *   (docs/decisions/0011-one-package.md says why they are no dependencies).
 * - package.json says for the time of packing what is true of the package. `--restore-manifest` (`postpack`) puts it back.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { makeViewer } from "../src/http/docs.ts";
import { buildDashboard, bundledPackages } from "./build-dashboard.ts";
import { buildSbom } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src");
const OUTPUT = join(ROOT, "lib");
const MANIFEST = join(ROOT, "package.json");
const SAVED_MANIFEST = join(ROOT, ".cache", "package.json");
/** Of the manifest, what only a checkout needs. */
const CHECKOUT_KEYS = ["workspaces", "scripts", "dependencies", "devDependencies"];

/** What no installed package needs: tests, and what makes the viewer of `/docs`, which the package has ready made. */
const LEFT_OUT = /\.test\.ts$|^http[/\\]docs-viewer\.ts$/;
/** In an import, or where a thread, a process or `require` is given a file. */
const MODULE_NAME = /"([\w./-]+)\.ts"/g;

/** Of other packages: types, maps, tests and documents, but never a licence. */
const DEVELOPERS_FILE = /\.(ts|mts|cts|map|md|markdown|flow)$|^\./;
const DEVELOPERS_FOLDER = /^(tests?|__tests__|docs?|examples?|benchmarks?)$/;
const LICENCE = /^(licen[cs]e|notice|copying)/i;

interface LockedPackage {
  version: string;
  integrity: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
}

restoreManifest();
if (!process.argv.includes("--restore-manifest")) await buildPackage();

async function buildPackage(): Promise<void> {
  if ((await buildDashboard()) === "no-tools") {
    throw new Error("The dashboard's development packages are not installed: run npm ci first.");
  }
  const { packages } = readJson("package-lock.json") as { packages: Record<string, LockedPackage> };
  const { optionalDependencies } = readJson("runtime/package.json") as { optionalDependencies: Record<string, string> };
  const nodes = Object.keys(optionalDependencies);
  writeFileSync(join(ROOT, "sbom.cdx.json"), buildSbom(bundledPackages()));
  rmSync(OUTPUT, { recursive: true, force: true });
  for (const path of readdirSync(SOURCE, { recursive: true, encoding: "utf8" })) buildFile(path);
  const { br, gzip } = await makeViewer();
  writeFileSync(join(OUTPUT, "http", "docs-viewer.br"), br);
  writeFileSync(join(OUTPUT, "http", "docs-viewer.gz"), gzip);
  for (const [path, { dev, devOptional, link }] of Object.entries(packages)) {
    const isOurs = dev !== true && devOptional !== true && link !== true && path.startsWith("node_modules/");
    if (isOurs && !nodes.includes(basename(path))) copyPackage(path);
  }
  // What bin/node-from-npm.js reads: the Node that the tests ran on, for each machine.
  const pinned = nodes.map((name) => {
    const found = packages[`node_modules/${name}`];
    if (found === undefined) throw new Error(`package-lock.json has no ${name}`);
    return [name, { version: found.version, integrity: found.integrity }] as const;
  });
  writeFileSync(join(OUTPUT, "node-packages.json"), `${JSON.stringify(Object.fromEntries(pinned), null, 2)}\n`);
  const manifest = readJson("package.json") as Record<string, unknown>;
  for (const key of CHECKOUT_KEYS) delete manifest[key];
  mkdirSync(dirname(SAVED_MANIFEST), { recursive: true });
  copyFileSync(MANIFEST, SAVED_MANIFEST);
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Also before packing. A manifest that somebody has put back after an interruption, and may have changed since, stays. */
function restoreManifest(): void {
  if (!existsSync(SAVED_MANIFEST)) return;
  if ("scripts" in (readJson("package.json") as object)) rmSync(SAVED_MANIFEST);
  else renameSync(SAVED_MANIFEST, MANIFEST);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

function buildFile(path: string): void {
  const source = join(SOURCE, path);
  const output = join(OUTPUT, path);
  if (LEFT_OUT.test(path) || !/\.\w+$/.test(path)) return;
  mkdirSync(dirname(output), { recursive: true });
  if (path.endsWith(".ts")) writeFileSync(output.replace(/ts$/, "js"), toJavaScript(source));
  else copyFileSync(source, output);
}

function toJavaScript(path: string): string {
  return stripTypeScriptTypes(readFileSync(path, "utf8")).replaceAll(MODULE_NAME, (_name, module: string) => {
    if (!existsSync(join(dirname(path), `${module}.ts`))) {
      throw new Error(`${relative(ROOT, path)} names ${module}.ts, which is not there: would it be in the package?`);
    }
    return `"${module}.js"`;
  });
}

/** @param path as package-lock.json has it; packages within it have paths of their own. */
function copyPackage(path: string): void {
  const source = join(ROOT, path);
  cpSync(source, join(OUTPUT, path), {
    recursive: true,
    dereference: true,
    filter: (file) => {
      if (file === source) return true;
      const name = basename(file);
      if (name === "node_modules" || (dirname(file) === source && DEVELOPERS_FOLDER.test(name))) return false;
      return LICENCE.test(name) || !DEVELOPERS_FILE.test(name);
    },
  });
}
