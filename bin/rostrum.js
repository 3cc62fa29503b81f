#!/usr/bin/env node
// Plain JavaScript for Node 20 or newer: finds a Node that can run the service, then runs src/main.ts, or what `npm pack` has
// compiled it to.
import module from "node:module";
import { LEAN_ALLOCATOR, LEAN_FLAGS } from "./lean.js";

// A server starts this file twice. Imports of these would create all their exports, 8 ms each time.
const require = module.createRequire(import.meta.url);
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { fileURLToPath } = require("node:url");

/** The first version with all that src/ uses of node:sqlite. */
const MIN_MAJOR = 26;

const file = fileURLToPath(import.meta.url);
const root = dirname(dirname(file));
const args = process.argv.slice(2);
const isCheckout = existsSync(join(root, "src", "main.ts"));
const isServer = args[0] === "serve" || args[0] === "demo";

if (process.env["npm_lifecycle_script"] !== undefined) (await import("./started-by-npm.js")).stopWithShell();

if (Number.parseInt(process.versions.node, 10) < MIN_MAJOR) {
  const { runElsewhere } = await import("./other-node.js");
  await runElsewhere({
    root,
    isCheckout,
    minMajor: MIN_MAJOR,
    args: [...(isServer ? LEAN_FLAGS : []), file, ...args],
    env: isServer ? { ...LEAN_ALLOCATOR, ...process.env } : process.env,
  });
} else {
  if (isServer && mayStartAnew()) {
    // Replaces the program within the same process.
    const environment = { ...LEAN_ALLOCATOR, ...process.env };
    process.execve(
      process.execPath,
      [process.execPath, ...process.execArgv, ...LEAN_FLAGS, file, ...args],
      environment,
    );
  }
  await enableCompileCache();
  // The launcher that holds the IPC channel has exited: no command outlives it. What is saved is saved in whole transactions.
  // Those that listen for signals also listen for this, and a second signal would end them at once.
  process.on("disconnect", () => {
    if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
  });
  process.channel?.unref();
  const { main } = await (isCheckout ? import("../src/main.ts") : import("../lib/main.js"));
  process.exitCode = await main(args);
}

/** Under systemd and after a global installation, the package's folder belongs to root, and its service could save nothing there. */
async function enableCompileCache() {
  const { status } = module.enableCompileCache(join(root, "node_modules", ".cache", "rostrum"));
  if (status !== module.constants.compileCacheStatus.FAILED) return;
  const { userCacheFolder } = await import("./cache-folder.js");
  const folder = userCacheFolder();
  if (folder !== undefined) module.enableCompileCache(join(folder, "compiled"));
}

/** Only once, only where glibc may be the allocator, and only if nothing is lost: an IPC channel or sockets from the parent would be. */
function mayStartAnew() {
  if (process.platform !== "linux" || process.connected || process.env.LISTEN_FDS !== undefined) return false;
  return process.env.MALLOC_ARENA_MAX === undefined || !LEAN_FLAGS.every((flag) => process.execArgv.includes(flag));
}
