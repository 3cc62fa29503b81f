/**
 * `prepack`, which runs before `npm pack`: builds the parts of the package that are not in git.
 *
 * - lib/ is src/ and client/src/ as JavaScript, because Node runs no TypeScript below node_modules, with their modules joined into
 *   fewer files: a start takes a quarter less CPU time.
 * - lib/node_modules holds the service's packages, as locked in package-lock.json, without files that only developers need
 *   (docs/decisions/0011-one-package.md explains why they are not dependencies).
 * - package.json is replaced by the package's own while packing. `--restore-manifest` (`postpack`) restores it.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { makeViewer } from "../src/http/pages/docs.ts";
import { buildDashboard, bundledPackages, packagesIn } from "./build-dashboard.ts";
import { buildSbom } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src");
/** The client of the read API, which commands use, too. */
const CLIENT = join(ROOT, "client", "src");
const OUTPUT = join(ROOT, "lib");
const NODE_MODULES = join(ROOT, "node_modules");
const MANIFEST = join(ROOT, "package.json");
const ENTRIES = join(ROOT, ".cache", "package-entries");
const SAVED_MANIFEST = join(ROOT, ".cache", "package.json");
/** Fields of the manifest that only a checkout needs. */
const CHECKOUT_KEYS = ["private", "workspaces", "scripts", "dependencies", "devDependencies"];

/**
 * Files that an installed package does not need: tests, declarations, and the builder of the `/docs` viewer, which is packed
 * already built.
 */
const LEFT_OUT = /\.(?:test|d)\.ts$|^http[/\\]pages[/\\]docs-viewer\.ts$/;
/** src/ and client/src/ as JavaScript, one file for each module. */
const MODULES = join(ROOT, ".cache", "package-modules");
/** A module name in an import, or as the file of a thread, a process or `require`. */
const MODULE_NAME = /((?:from|import)[\s(]+)?"([\w./-]+)\.ts"/g;
/** In code that is bundled, the way from its file to lib/. */
const TO_LIB = "__TO_LIB__/";

/** Files left out of other packages: types, maps, tests and documents, but never a licence. */
const DEVELOPERS_FILE = /\.(ts|mts|cts|map|md|markdown|flow)$|^\./;
const DEVELOPERS_FOLDER = /^(tests?|__tests__|docs?|examples?|benchmarks?)$/;
/** Parts of packages that nothing here loads: sources, encoders of AVIF, and the larger models of languages. */
const UNUSED_PART = /^(?:@jsquash\/avif\/codec\/enc|ajv\/lib|eld\/src\/ngrams\/(?:extrasmall|medium|large)\.js)$/;
/**
 * Packages that become a file each, with all that they depend on: `npx` of a file unpacks it four times, so that the number of
 * files decides how long that takes. The others are loaded by their paths, or are few files.
 */
const BUNDLED = [
  "@fastify/ajv-compiler",
  "@fastify/fast-json-stringify-compiler",
  "@modelcontextprotocol/server",
  "@simplewebauthn/server",
  "@sindresorhus/slugify",
  "fastify",
  "hast-util-from-parse5",
  "hast-util-sanitize",
  "hast-util-to-html",
  "hast-util-to-text",
  "lru-cache",
  "marked",
  "nodemailer",
  "otpauth",
  "parse5",
  "prom-client",
  "saxes",
  "smol-toml",
  "syllable",
  "typebox",
  "undici",
  "yaml",
];
const LICENCE = /^(licen[cs]e|notice|copying)/i;

interface LockedPackage {
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
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
  writeFileSync(join(ROOT, "sbom.cdx.json"), buildSbom(bundledPackages()));
  rmSync(OUTPUT, { recursive: true, force: true });
  await bundleModules();
  const { br, gzip } = await makeViewer();
  mkdirSync(join(OUTPUT, "http", "pages"), { recursive: true });
  writeFileSync(join(OUTPUT, "http", "pages", "docs-viewer.br"), br);
  writeFileSync(join(OUTPUT, "http", "pages", "docs-viewer.gz"), gzip);
  const names = Object.keys((readJson("package.json") as { dependencies: object }).dependencies);
  const copied = withDependencies(
    names.filter((name) => !BUNDLED.includes(name)),
    packages,
  );
  for (const path of copied) copyPackage(path);
  await bundlePackages(packages);
  setModes(OUTPUT);
  // Parts of @jsquash are left out, so the packages cannot be loaded as a whole.
  assertLoadable(names.filter((name) => !name.startsWith("@jsquash/")));
  // Read by bin/program-from-npm.js: what the tests ran with, for each platform.
  const pinned = Object.keys(optionalDependencies).map((name) => {
    const found = packages[`node_modules/${name}`];
    if (found === undefined) throw new Error(`package-lock.json has no ${name}`);
    return [name, { version: found.version, integrity: found.integrity }] as const;
  });
  writeFileSync(join(OUTPUT, "programs.json"), `${JSON.stringify(Object.fromEntries(pinned), null, 2)}\n`);
  const manifest = readJson("package.json") as Record<string, unknown>;
  for (const key of CHECKOUT_KEYS) delete manifest[key];
  mkdirSync(dirname(SAVED_MANIFEST), { recursive: true });
  copyFileSync(MANIFEST, SAVED_MANIFEST);
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Also runs before packing. If an interrupted run's manifest was restored by hand, and maybe changed since, it is kept. */
function restoreManifest(): void {
  if (!existsSync(SAVED_MANIFEST)) return;
  if ("scripts" in (readJson("package.json") as object)) rmSync(SAVED_MANIFEST);
  else renameSync(SAVED_MANIFEST, MANIFEST);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

/** Joins our own modules, of which a start needs 230. What is loaded by the name of its file remains a file of that name. */
async function bundleModules(): Promise<void> {
  // Only when packing: the development packages may be missing otherwise.
  const { build } = await import("vite");
  rmSync(MODULES, { recursive: true, force: true });
  const entries = new Set(["main.js"]);
  for (const [from, folder] of [
    [SOURCE, ""],
    [CLIENT, "client"],
  ] as const) {
    for (const path of readdirSync(from, { recursive: true, encoding: "utf8" })) {
      buildModule(join(from, path), join(folder, path), entries);
    }
  }
  await build({
    configFile: false,
    logLevel: "warn",
    plugins: [
      {
        name: "own-paths",
        enforce: "pre",
        // As if each module were still a file of its own.
        transform: (code, id) => {
          const path = relative(MODULES, id).replaceAll("\\", "/");
          return code
            .replaceAll("import.meta.dirname", `(import.meta.dirname + "/${TO_LIB}${dirname(path)}")`)
            .replaceAll("import.meta.url", `new URL("${TO_LIB}${path}", import.meta.url).href`);
        },
        renderChunk: (code, { fileName }) =>
          code.replaceAll(TO_LIB, "../".repeat(fileName.split("/").length - 1) || "./"),
      },
    ],
    build: {
      ssr: true,
      target: "node26",
      outDir: OUTPUT,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries(Array.from(entries, (path) => [path.replace(/\.js$/, ""), join(MODULES, path)])),
        external: /^(?:node:|@?[a-z])/,
        output: { entryFileNames: "[name].js", chunkFileNames: "parts/[name]-[hash].js" },
      },
    },
  });
  rmSync(MODULES, { recursive: true });
}

/** Adds to `entries` what the module loads by the name of its file. */
function buildModule(source: string, path: string, entries: Set<string>): void {
  if (LEFT_OUT.test(path) || !/\.\w+$/.test(path)) return;
  const output = join(MODULES, path);
  mkdirSync(dirname(output), { recursive: true });
  if (!path.endsWith(".ts")) return copyFileSync(source, output);
  const code = stripTypeScriptTypes(readFileSync(source, "utf8")).replaceAll(
    MODULE_NAME,
    (_name, imported: string | undefined, module: string) => {
      if (!existsSync(join(dirname(source), `${module}.ts`))) {
        throw new Error(
          `${relative(ROOT, source)} names ${module}.ts, which is not there: would it be in the package?`,
        );
      }
      const named = join(dirname(path), module);
      if (imported === undefined && !LEFT_OUT.test(`${named}.ts`)) entries.add(`${named}.js`);
      // In the package client/ is inside lib/, so that the path is one level shorter.
      return `${imported ?? ""}"${module.replace("../client/src/", "client/")}.js"`;
    },
  );
  writeFileSync(output.replace(/ts$/, "js"), code);
}

/** @returns the paths in package-lock.json of these packages and of all that they depend on. */
function withDependencies(names: readonly string[], packages: Record<string, LockedPackage>): Set<string> {
  const found = new Set(names.map((name) => `node_modules/${name}`));
  // Grows while it is read.
  for (const path of found) {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      let folder = `${path}/`;
      while (packages[`${folder}node_modules/${name}`] === undefined) {
        if (folder === "") throw new Error(`package-lock.json has no ${name} for ${path}`);
        folder = folder.slice(0, folder.lastIndexOf("node_modules/"));
      }
      found.add(`${folder}node_modules/${name}`);
    }
  }
  return found;
}

/** Modules that several of the packages need become files of their own. The licences are kept in one file. */
async function bundlePackages(packages: Record<string, LockedPackage>): Promise<void> {
  // Only when packing: the development packages may be missing otherwise.
  const { build } = await import("vite");
  mkdirSync(ENTRIES, { recursive: true });
  const input: Record<string, string> = {};
  for (const name of BUNDLED) {
    const entry = join(ENTRIES, `${name.replaceAll("/", "-")}.js`);
    writeFileSync(entry, reexport(name, (await import(name)) as Record<string, unknown>));
    input[`${name}/index`] = entry;
  }
  const output = await build({
    configFile: false,
    logLevel: "warn",
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: "node26",
      outDir: join(OUTPUT, "node_modules"),
      emptyOutDir: false,
      rolldownOptions: {
        input,
        output: { entryFileNames: "[name].js", chunkFileNames: "bundled-parts/[name]-[hash].js" },
      },
    },
  });
  rmSync(ENTRIES, { recursive: true });
  for (const name of BUNDLED) {
    const { version, license } = packages[`node_modules/${name}`] ?? {};
    const manifest = { name, version, license, type: "module", exports: "./index.js" };
    writeFileSync(join(OUTPUT, "node_modules", name, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  // The shared parts are ES modules; without this file Node would take them for CommonJS.
  writeFileSync(join(OUTPUT, "node_modules", "bundled-parts", "package.json"), '{ "type": "module" }\n');
  const licences = packagesIn(output, realpathSync(NODE_MODULES)).map((path) => {
    const file = readdirSync(join(ROOT, path)).find((one) => LICENCE.test(one));
    const text = file === undefined ? packages[path]?.license : readFileSync(join(ROOT, path, file), "utf8").trim();
    return `${path.replace("node_modules/", "")} ${packages[path]?.version}\n\n${text}\n`;
  });
  writeFileSync(join(OUTPUT, "node_modules", "bundled-parts", "LICENSES"), licences.join(`\n${"-".repeat(80)}\n\n`));
}

/** Those of copied packages come from the umask of the user who installed them. */
function setModes(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** A module with all exports of a package. A bundler cannot know those of CommonJS, which has run here. */
function reexport(name: string, exports: Record<string, unknown>): string {
  const isCommonJs = "module.exports" in exports;
  const keys = Object.keys(exports).filter((key) => key !== "default" && key !== "module.exports");
  if (isCommonJs)
    return `import all from "${name}";\nexport default all;\nexport const { ${keys.join(", ")} } = all;\n`;
  const main = "default" in exports ? `export { default } from "${name}";\n` : "";
  return `export * from "${name}";\n${main}`;
}

/** Copies a package. @param path as in package-lock.json; nested packages have their own paths. */
function copyPackage(path: string): void {
  const source = join(ROOT, path);
  cpSync(source, join(OUTPUT, path), {
    recursive: true,
    dereference: true,
    filter: (file) => {
      if (file === source) return true;
      const name = basename(file);
      if (name === "node_modules" || (dirname(file) === source && DEVELOPERS_FOLDER.test(name))) return false;
      if (UNUSED_PART.test(relative(NODE_MODULES, file))) return false;
      return LICENCE.test(name) || !DEVELOPERS_FILE.test(name);
    },
  });
}

/** @throws if one of the packages cannot be loaded from lib/: something that it needs was left out. */
function assertLoadable(names: readonly string[]): void {
  const code = "for (const name of process.argv.slice(1)) await import(name);";
  execFileSync(process.execPath, ["--input-type=module", "--eval", code, ...names], { cwd: OUTPUT, stdio: "inherit" });
}
