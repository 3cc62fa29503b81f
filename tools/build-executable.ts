/**
 * `npm run build:executable`: the package and Node in one file for this platform, dist/rostrum-VERSION-PLATFORM-ARCH, which needs
 * nothing on the machine that it is copied to. bin/executable.js is its main program.
 *
 * `-- --tarball FILE` takes the package from there instead of packing it. The same package and Node make the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { constants, zstdCompressSync } from "node:zlib";
import { build } from "vite";
import { runNpm } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");
/** Higher levels take ten times as long for half a per cent of the executable. */
const COMPRESSION_LEVEL = 10;
const NAME = process.platform === "win32" ? "rostrum.exe" : "rostrum";

interface Manifest {
  version: string;
  optionalDependencies: Record<string, string>;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { tarball: { type: "string" } } });
  const built = await buildExecutable(values.tarball === undefined ? undefined : resolve(values.tarball));
  process.stdout.write(`${relative(process.cwd(), built)}: ${Math.round(statSync(built).size / 1e6)} MB\n`);
}

/** @param tarball of the package, which is packed otherwise. @returns the path of the executable. */
export async function buildExecutable(tarball?: string): Promise<string> {
  const pinned = new Set(Object.values(readManifest(join(ROOT, "runtime")).optionalDependencies));
  if (!pinned.has(process.versions.node)) {
    throw new Error(`An executable has the Node that the tests run on, ${[...pinned].join()}: run this with it.`);
  }
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  await using folder = await mkdtempDisposable(join(ROOT, ".cache", "executable-"));
  if (tarball === undefined) {
    runNpm(["pack", "--silent", "--pack-destination", folder.path]);
    tarball = join(folder.path, readdirSync(folder.path).find((name) => name.endsWith(".tgz")) ?? "");
  }
  execFileSync("tar", ["-xzf", tarball, "-C", folder.path]);
  const program = join(folder.path, "package");
  const { version } = readManifest(program);
  const compressed = compress(program);
  writeFileSync(join(folder.path, "program"), compressed);
  await bundleMain(folder.path, {
    PROGRAM_VERSION: JSON.stringify(version),
    PROGRAM_HASH: JSON.stringify(createHash("sha256").update(compressed).digest("hex")),
  });
  // Its names are relative: the executable has that of its main program in it.
  const config = {
    main: "executable.js",
    mainFormat: "module",
    output: NAME,
    assets: { program: "program" },
    disableExperimentalSEAWarning: true,
  };
  writeFileSync(join(folder.path, "config.json"), JSON.stringify(config));
  execFileSync(process.execPath, ["--build-sea", "config.json"], {
    cwd: folder.path,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const executable = join(folder.path, NAME);
  // macOS runs no program whose signature does not fit, as that of Node no longer does.
  if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", "--force", executable]);
  chmodSync(executable, 0o755);
  const output = join(ROOT, "dist", NAME.replace("rostrum", `rostrum-${version}-${process.platform}-${process.arch}`));
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  renameSync(executable, output);
  return output;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** All files of the folder, as bin/executable.js unpacks them. */
function compress(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const contents = files.map((file) => readFileSync(file));
  const names = files.map((file, index) => [relative(folder, file).replaceAll(sep, "/"), contents[index]?.length]);
  const params = { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
  return zstdCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(names)}\n`), ...contents]), { params });
}

/** The main program has to be a single file. */
async function bundleMain(folder: string, define: Record<string, string>): Promise<void> {
  await build({
    configFile: false,
    logLevel: "warn",
    define,
    build: {
      ssr: true,
      target: "node26",
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { input: join(ROOT, "bin", "executable.js"), output: { entryFileNames: "[name].js" } },
    },
  });
  if (!existsSync(join(folder, "executable.js"))) throw new Error("Vite wrote no executable.js");
}
