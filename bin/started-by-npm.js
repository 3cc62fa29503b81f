// Plain JavaScript for Node 20 or newer, for a program that npm has started, as `npx rostrum serve` and `npm start` do.
import { basename } from "node:path";

const POLL_INTERVAL_MS = 500;
const ASSIGNMENT = /^\w+=/;
const OPERATORS = /[&|;<>()`$\n]/;

/**
 * npm passes SIGTERM to the shell between itself and this process. Some shells, such as dash, die of it without passing it on: then
 * this process sends itself the signal. Only where that shell had nothing to do but wait for this process.
 */
export function stopWithShell() {
  if (process.platform === "win32" || process.ppid === 1) return;
  if (!isRostrumAlone(process.env["npm_lifecycle_script"] ?? "")) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    // Whoever listens for it may be stopping already: a second signal would end it at once.
    if (!process.emit("shellEnded")) process.kill(process.pid, "SIGTERM");
  }, POLL_INTERVAL_MS);
  timer.unref();
}

/** Whether npm's script is one command, in the foreground, that runs Rostrum itself: nothing that could have detached it. */
export function isRostrumAlone(script) {
  if (OPERATORS.test(script)) return false;
  const words = script.split(/\s+/).map((word) => word.replaceAll(/['"]/g, ""));
  const [program = "", file = ""] = words.filter((word) => word !== "" && !ASSIGNMENT.test(word));
  return /^rostrum(?:\.js)?$/.test(basename(basename(program) === "node" ? file : program));
}
