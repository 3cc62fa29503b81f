/**
 * `npm run build`: builds dashboard/dist unless it is up to date. npm also runs this before `npm start` and `npm run demo`,
 * through prepare.js.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { build } from "vite";

const ROOT = join(import.meta.dirname, "..");
const DASHBOARD = join(ROOT, "dashboard");
const DIST = join(DASHBOARD, "dist");
/** Hash of the inputs that dist was built from. */
const STAMP = ".inputs";
/** The bundled packages, one per line, named as in package-lock.json. */
const PACKAGES = ".packages";
/** Which files the page at a path needs beside those in index.html, as JSON: `{ "articles/*": ["assets/…"] }`. */
const PAGES = ".pages";
/** The pages that people open first, by path; `*` stands for an article. */
const FIRST_PAGES: Record<string, string> = {
  "": "overview/overview-page.tsx",
  articles: "articles/articles-page.tsx",
  "articles/new": "review/new-page.tsx",
  "articles/*": "review/review-page.tsx",
  "articles/*/edit": "review/edit-page.tsx",
  "sign-in": "session/sign-in-page.tsx",
};
/** Inputs outside dashboard/. */
const OTHER_INPUTS = ["package-lock.json", "tsconfig.json", "tools/build-dashboard.ts"];
/** Getting started shows them. */
const GUIDES = join(ROOT, "docs", "sites");
const NO_INPUT = /^(dist|node_modules|test)$|\.test\.tsx?$|^vitest\.|^\./;

const COMPRESSIBLE = /\.(js|css|svg|json|html|txt|webmanifest)$/;
/** Smaller files are sent uncompressed: the response headers outweigh the savings. */
const WORTH_COMPRESSING_BYTES = 1024;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** `no-tools`: a build is needed, but its packages are not installed. */
export type Outcome = "built" | "up-to-date" | "no-tools";

if (import.meta.main) {
  const outcome = await buildDashboard();
  process.stdout.write(
    {
      built: "dashboard/dist is built.\n",
      "up-to-date": "dashboard/dist is up to date.\n",
      "no-tools": "The dashboard's development packages are not installed: run npm ci first.\n",
    }[outcome],
  );
  if (outcome === "no-tools") process.exitCode = 1;
}

/** @throws when the build fails; dist is then unchanged. */
export async function buildDashboard(): Promise<Outcome> {
  const inputs = hashInputs();
  if (isBuiltFrom(inputs)) return "up-to-date";
  const buildWithVite = await loadBuilder();
  if (buildWithVite === undefined) return "no-tools";
  // Builds in a separate folder, so that a failed or concurrent build never leaves partial output where a server reads.
  const next = join(ROOT, ".cache", `dashboard-${process.pid}`);
  // oxlint-disable-next-line no-restricted-properties -- Vite sets NODE_ENV for this process and its children
  const environment = process.env;
  const { NODE_ENV } = environment;
  try {
    const output = await buildWithVite({
      configFile: join(DASHBOARD, "vite.config.ts"),
      configLoader: "native",
      logLevel: "warn",
      build: { outDir: next, emptyOutDir: true },
    });
    writeFileSync(join(next, PACKAGES), packagesIn(output).join("\n"));
    writeFileSync(
      join(next, PAGES),
      JSON.stringify(filesOfPages(output, readFileSync(join(next, "index.html"), "utf8"))),
    );
    await compressFiles(next);
    writeFileSync(join(next, STAMP), inputs);
    replaceDist(next, inputs);
  } finally {
    rmSync(next, { recursive: true, force: true });
    if (NODE_ENV === undefined) delete environment["NODE_ENV"];
  }
  return "built";
}

/** The packages that dashboard/dist was built from, named as in package-lock.json. @throws when it is not built. */
export function bundledPackages(): string[] {
  return readFileSync(join(DIST, PACKAGES), "utf8").split("\n");
}

function filesOfPages(output: Awaited<ReturnType<typeof build>>, html: string): Record<string, string[]> {
  const chunks = [output]
    .flat()
    .flatMap((one) => ("output" in one ? one.output.filter((file) => file.type === "chunk") : []));
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  return Object.fromEntries(
    Object.entries(FIRST_PAGES).map(([path, module]) => {
      const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/features/${module}`));
      if (page === undefined) throw new Error(`${module} has no chunk of its own`);
      const found = new Set([page.fileName]);
      // Grows while it is read.
      for (const name of found) {
        const chunk = byName.get(name);
        for (const file of [...(chunk?.imports ?? []), ...(chunk?.viteMetadata?.importedCss ?? [])]) found.add(file);
      }
      return [path, [...found].filter((file) => !html.includes(file))];
    }),
  );
}

/** @returns sorted names such as `node_modules/react`. @param nodeModules is the folder that they were read from. */
export function packagesIn(
  output: Awaited<ReturnType<typeof build>>,
  nodeModules = join(ROOT, "node_modules"),
): string[] {
  const found = new Set<string>();
  for (const one of [output].flat()) {
    if (!("output" in one)) continue;
    for (const file of one.output) {
      if (file.type !== "chunk") continue;
      for (const id of file.moduleIds) {
        const path = packageOf(relative(dirname(nodeModules), id.replaceAll("\0", "")).replaceAll("\\", "/"));
        if (path !== null) found.add(path);
      }
    }
  }
  return [...found].toSorted();
}

/** `node_modules/@a/b/node_modules/c/index.js` → `node_modules/@a/b/node_modules/c`; null for a file of our own. */
function packageOf(file: string): string | null {
  const folder = "node_modules/";
  const at = file.lastIndexOf(folder);
  if (at === -1) return null;
  const names = file.slice(at + folder.length).split("/");
  return file.slice(0, at) + folder + names.slice(0, names[0]?.startsWith("@") === true ? 2 : 1).join("/");
}

export function hasBuilt(): boolean {
  return readdirSync(DASHBOARD).includes("dist");
}

function isBuiltFrom(inputs: string): boolean {
  try {
    return readFileSync(join(DIST, STAMP), "utf8") === inputs;
  } catch {
    return false;
  }
}

function hashInputs(): string {
  const hash = createHash("sha256");
  const paths = [...filesOf(DASHBOARD, NO_INPUT), ...filesOf(GUIDES), ...OTHER_INPUTS.map((path) => join(ROOT, path))];
  for (const path of paths)
    hash
      .update(`${relative(ROOT, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  return hash.digest("hex");
}

/** Sorted, so that the order is the same on every machine. */
function filesOf(folder: string, excluded?: RegExp): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (excluded?.test(entry.name) === true) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesOf(path, excluded) : [path];
  });
}

/**
 * Undefined if Vite is missing, as after `npm ci --omit=dev`, or lacks this platform's binaries, as after `--omit=optional`.
 */
async function loadBuilder(): Promise<typeof build | undefined> {
  try {
    return (await import("vite")).build;
  } catch {
    return undefined;
  }
}

/** Compresses once at build time, with the slowest settings, instead of in each server. */
async function compressFiles(folder: string): Promise<void> {
  const paths = filesOf(folder).filter((path) => COMPRESSIBLE.test(path) && !path.endsWith("index.html"));
  await Promise.all(
    paths.map(async (path) => {
      const bytes = readFileSync(path);
      if (bytes.length < WORTH_COMPRESSING_BYTES) return;
      writeFileSync(`${path}.br`, await compressBrotli(bytes));
      writeFileSync(`${path}.gz`, await compressGzip(bytes, { level: 9 }));
    }),
  );
}

function replaceDist(next: string, inputs: string): void {
  const previous = `${next}-previous`;
  try {
    // Only whole folders are moved, so that a concurrent build never meets a part of one.
    if (existsSync(DIST)) renameSync(DIST, previous);
    renameSync(next, DIST);
  } catch (error) {
    // A concurrent build was faster; if its sources are the same, its output is as good.
    if (!isBuiltFrom(inputs)) throw error;
  } finally {
    rmSync(previous, { recursive: true, force: true });
  }
}
