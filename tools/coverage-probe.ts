/**
 * Preloaded by tools/journeys.ts into each process and thread of the service: counts the calls of every function in src/ by V8's
 * coverage, and writes them to the folder that the parameter of this module's URL names.
 */
import childProcess from "node:child_process";
import { appendFileSync } from "node:fs";
import { Session } from "node:inspector";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads";

/** One function that ran: its file, its name with its place in the file, and how often. */
export type Call = [file: string, name: string, count: number];
/** From the tool to a service: count from now on, or write what has been counted. */
export type ToProbe = "begin" | "write";
type AmongThreads = ToProbe | "started" | "done";

const SOURCE = new URL("../src/", import.meta.url).href;
const parameters = new URL(import.meta.url).searchParams;
const file = join(parameters.get("folder") ?? "", `${process.pid}-${threadId}`);
const session = new Session();

if (!isMainThread) probeThread();
else if (parameters.has("child")) probeChild();
else probeProcess();

/** Counts from here on. A service is told when its start is over; a command writes at its end. */
function probeProcess(): void {
  startCounting();
  const threads = new BroadcastChannel("coverage");
  threads.unref();
  let running = 0;
  let waiting = 0;
  threads.addEventListener("message", ({ data }) => {
    const message = data as AmongThreads;
    if (message === "started") running++;
    if (message === "done" && --waiting === 0) process.send?.("done");
  });
  process.on("message", (message: ToProbe) => {
    waiting = running;
    threads.postMessage(message);
    obey(message);
    if (waiting === 0) process.send?.("done");
  });
  process.channel?.unref();
  process.once("exit", write);
  const fork = childProcess.fork.bind(childProcess);
  const forChild = new URL(import.meta.url);
  forChild.searchParams.set("child", "");
  childProcess.fork = ((program: string | URL, args: string[], options: childProcess.ForkOptions) => {
    const execArgv = [...(options.execArgv ?? []), "--import", forChild.href];
    return fork(program, args, { ...options, execArgv });
  }) as typeof childProcess.fork;
  syncBuiltinESMExports();
}

function probeThread(): void {
  startCounting();
  const threads = new BroadcastChannel("coverage");
  threads.unref();
  threads.addEventListener("message", ({ data }) => {
    if (data !== "begin" && data !== "write") return;
    obey(data);
    threads.postMessage("done" satisfies AmongThreads);
  });
  threads.postMessage("started" satisfies AmongThreads);
}

/** Counts from the first listener on, when the child has loaded, and writes before each answer, because children are killed. */
function probeChild(): void {
  process.on("newListener", (event) => {
    if (event === "message" && process.listenerCount("message") === 0) startCounting();
  });
  const send = process.send?.bind(process);
  process.send = (message: unknown, ...options: unknown[]) => {
    write();
    return send?.(message, ...(options as [])) ?? false;
  };
}

function startCounting(): void {
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
}

function obey(message: ToProbe): void {
  if (message === "begin") session.post("Profiler.takePreciseCoverage");
  else write();
}

/** The answer comes at once, because the session is this thread's own. V8 then counts from zero. */
function write(): void {
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error !== null) throw error;
    const calls = answer.result.flatMap(({ url, functions }) =>
      url.startsWith(SOURCE) ? functions.flatMap((one) => toCall(url.slice(SOURCE.length), one)) : [],
    );
    if (calls.length > 0) appendFileSync(file, `${JSON.stringify(calls)}\n`);
  });
}

/** Loading a module runs the function that V8 makes of it, which begins where the module does. */
function toCall(path: string, { functionName, ranges: [range] }: FunctionCoverage): Call[] {
  if (range === undefined || range.count === 0 || range.startOffset === 0) return [];
  return [[path, `${functionName}:${range.startOffset}`, range.count]];
}

interface FunctionCoverage {
  functionName: string;
  ranges: { startOffset: number; count: number }[];
}
