/** Texts that take too much are refused, and the texts behind them are processed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import os from "node:os";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import type { ContentCalls } from "../../src/content-processes/content-worker.ts";
import { ContentPool } from "../../src/content-processes/pool.ts";
import { ContentCounters, contentProcess } from "../../src/content-processes/processes.ts";
import { BLANK_SOURCE, type ContentSource } from "../../src/domain/articles/content/content-source.ts";
import { readCpuMs, isRunning } from "../../src/process/identity.ts";
import { TODAY } from "../helpers/articles.ts";
import { childrenRunning, leash, residentMb } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";

const contentProcesses = () => childrenRunning("content-worker");

const skip = process.platform === "linux" ? false : "it looks into /proc";

const source = (html: string): ContentSource => ({ ...BLANK_SOURCE, html });

const HONEST = source("<p>The kettle is on the stove, and the tea is almost ready.</p>");
/** Two megabytes of words in small elements: several hundred milliseconds on any machine. */
const LONG = source(`<p>${"<i>a</i> word after <b>another</b> word ".repeat(40_000)}</p>`);
/** Words without spaces, which a dictionary divides: more than a second. */
const TOO_LONG = source(`<p>${"สวัสดีชาวโลก ".repeat(60_000)}</p>`);
/** Its tree takes a hundred megabytes. */
const HUGE_TREE = source("<b>x</b>".repeat(200_000));

/** So that `TOO_LONG` takes too long and `HONEST` does not, also while the process gives memory back. */
const TIGHT = { msPerMb: 10, leastMs: 400 };

const prepare = (pool: ContentPool, website: string, what: ContentSource) => pool.deriveContent(website, what, TODAY);

test(
  "no thread of a content process competes with readers, nor those in which V8 collects garbage",
  { skip },
  async () => {
    await using pool = new ContentPool();
    await prepare(pool, "a", HONEST);
    const [pid = 0] = contentProcesses();
    const nice = readdirSync(`/proc/${pid}/task`).map((id) => os.getPriority(Number(id)));
    assert.ok(nice.length > 4);
    assert.deepEqual([...new Set(nice)], [Math.max(os.getPriority(), os.constants.priority.PRIORITY_BELOW_NORMAL)]);
  },
);

describe("a text that is too expensive", () => {
  test("in time is refused with a sentence, and texts behind it are processed", async () => {
    const counters = new ContentCounters();
    await using pool = new ContentPool(TIGHT, counters);
    const refused = assert.rejects(prepare(pool, "a", TOO_LONG), {
      code: "too_expensive",
      message: /too long to process/,
    });
    const [same, other] = await Promise.all([prepare(pool, "a", HONEST), prepare(pool, "b", HONEST)]);
    await refused;
    assert.deepEqual([same.wordCount, other.wordCount], [12, 12]);
    const { killedForTime, killedForMemory, waiting, started } = counters.stats;
    assert.deepEqual([killedForTime, killedForMemory, waiting], [1, 0, 0]);
    await pool[Symbol.asyncDispose]();
    const { running, ...ended } = counters.stats;
    assert.deepEqual([running, ended], [0, { killedForTime, killedForMemory, waiting, started }]);
  });

  test("in memory is refused with a sentence, and texts behind it are processed", async () => {
    await using pool = new ContentPool({ maxMs: 60_000, msPerMb: 60_000, heapMb: 80 });
    const refused = assert.rejects(prepare(pool, "a", HUGE_TREE), {
      code: "too_expensive",
      message: /too much memory to process/,
    });
    assert.equal((await prepare(pool, "a", HONEST)).wordCount, 12);
    await refused;
    assert.equal((await prepare(pool, "a", HONEST)).wordCount, 12);
  });
});

test("is the only one refused of those that a process gets together", async () => {
  const counters = new ContentCounters();
  await using pool = new ContentPool(
    { ...TIGHT, maxCharactersTogether: 10_000_000, maxShortCharacters: 10_000_000, shortHeapMb: 320 },
    counters,
  );
  // The process is busy with the first one when the others come.
  const first = prepare(pool, "a", HONEST);
  const nested = assert.rejects(prepare(pool, "a", source("<div>".repeat(5_000))), { code: "invalid" });
  const before = prepare(pool, "a", HONEST);
  const refused = assert.rejects(prepare(pool, "a", TOO_LONG), { code: "too_expensive" });
  const after = prepare(pool, "a", HONEST);
  const other = prepare(pool, "b", HONEST);
  for (const { wordCount } of await Promise.all([first, before, after, other])) assert.equal(wordCount, 12);
  await Promise.all([nested, refused]);
  // Once together, and once alone.
  const { killedForTime, waiting } = counters.stats;
  assert.deepEqual([killedForTime, waiting], [2, 0]);
});

test("is the only one refused of those that its process has for afterwards", async () => {
  const counters = new ContentCounters();
  await using pool = new ContentPool(
    { ...TIGHT, maxCharactersTogether: 2_000_000, maxShortCharacters: 10_000_000, shortHeapMb: 320 },
    counters,
  );
  const refused = assert.rejects(prepare(pool, "a", TOO_LONG), { code: "too_expensive" });
  const others = Array.from({ length: 200 }, () => pool.deriveContent("a", HONEST, TODAY, true));
  for (const { wordCount } of await Promise.all(others)) assert.equal(wordCount, 12);
  await refused;
  // Once before the others, and once alone.
  assert.equal(counters.stats.killedForTime, 2);
});

test("is told from a long text within the limits, which is processed", async () => {
  await using pool = new ContentPool();
  const { wordCount, words } = await prepare(pool, "a", LONG);
  assert.equal(wordCount, 200_000);
  const ofText = words.split(" ").filter((word) => !word.startsWith("·"));
  assert.deepEqual(ofText.toSorted(), ["a", "after", "another", "title", "word"]);
});

test("gets the same message as in the same process", async () => {
  await using pool = new ContentPool();
  const nested = prepare(pool, "a", source("<div>".repeat(5_000)));
  await assert.rejects(nested, { name: "AppError", code: "invalid", field: "content" });
});

test("is the only one lost when its process is killed from outside", { skip }, async () => {
  await using pool = new ContentPool({ maxShortCharacters: Infinity });
  await prepare(pool, "a", HONEST);
  const [pid] = contentProcesses();
  assert.ok(pid !== undefined);
  const doomed = assert.rejects(prepare(pool, "a", TOO_LONG), { code: "too_expensive" });
  process.kill(pid, "SIGKILL");
  await doomed;
  assert.equal((await prepare(pool, "a", HONEST)).wordCount, 12);
});

for (const [what, path] of [
  ["has no room for another process", "/dev/null/node"],
  ["does not find the program", "/nowhere/node"],
] as const)
  test(`is the only one refused by a system that ${what}, and nothing else ends`, { skip }, async () => {
    await using pool = new ContentPool();
    const { execPath } = process;
    // Of the first path the system says at once that nothing can be started, as it does without memory.
    process.execPath = path;
    try {
      await assert.rejects(prepare(pool, "a", HONEST), { name: "AppError", code: "service_unavailable" });
    } finally {
      process.execPath = execPath;
    }
    assert.equal((await prepare(pool, "a", HONEST)).wordCount, 12);
  });

describe("websites", () => {
  test("take turns: one with many texts is not served before one with few", async () => {
    await using pool = new ContentPool();
    // Both processes are there: what waits for one to start takes longer.
    await Promise.all([prepare(pool, "a", HONEST), prepare(pool, "b", HONEST)]);
    const order: string[] = [];
    const ask = async (website: string, name: string) => {
      await prepare(pool, website, HONEST);
      order.push(name);
    };
    await Promise.all([
      ...Array.from({ length: 6 }, (_none, index) => ask("greedy", `greedy ${index}`)),
      ask("modest", "modest"),
    ]);
    assert.ok(order.indexOf("modest") <= 2, order.join(", "));
    // Two processes may end in another order than they began.
    assert.deepEqual(
      order.filter((name) => name !== "modest").toSorted(),
      Array.from({ length: 6 }, (_none, index) => `greedy ${index}`),
    );
  });

  test("with too many texts at once are refused, and the others are not", async () => {
    await using pool = new ContentPool({ maxWaiting: 2 });
    const many = Array.from({ length: 5 }, () => prepare(pool, "greedy", HONEST));
    const other = prepare(pool, "modest", HONEST);
    const results = await Promise.allSettled(many);
    assert.deepEqual(
      results.map((result) => (result.status === "rejected" ? String(result.reason.code) : "done")),
      ["done", "done", "done", "busy", "busy"],
    );
    assert.equal((await other).wordCount, 12);
  });

  test("with a short text do not wait for the end of another website's long one", async () => {
    await using pool = new ContentPool();
    const order: string[] = [];
    const long = Array.from({ length: 3 }, () => prepare(pool, "greedy", LONG).then(() => order.push("long")));
    await prepare(pool, "modest", HONEST).then(() => order.push("short"));
    await Promise.all(long);
    assert.ok(order.indexOf("short") <= 1, order.join(", "));
  });
});

test("no process runs before the first text, nor after the end", { skip }, async () => {
  {
    await using pool = new ContentPool();
    assert.deepEqual(contentProcesses(), []);
    await prepare(pool, "a", HONEST);
    assert.equal(contentProcesses().length, 1);
  }
  assert.deepEqual(contentProcesses(), []);
});

test("texts that wait when the pool ends are refused", async () => {
  const pool = new ContentPool();
  const waiting = [prepare(pool, "a", LONG), prepare(pool, "a", HONEST)].map((one) =>
    assert.rejects(one, { code: "service_unavailable" }),
  );
  await pool[Symbol.asyncDispose]();
  await Promise.all(waiting);
  await assert.rejects(prepare(pool, "a", HONEST), { code: "service_unavailable" });
});

/** Starts a content process, gives it seconds of work, and says so. */
const PARENT = `
  import { contentProcess } from ${JSON.stringify(new URL("../../src/content-processes/processes.ts", import.meta.url))};
  const child = contentProcess({ program: "content-worker.ts", heapMb: 1_000 });
  const source = { ...${JSON.stringify(BLANK_SOURCE)}, markdown: ("*a_".repeat(14) + "\\n\\n").repeat(20_000) };
  void child.ask("process", Array(20).fill({ type: "derive", source, startedAt: 0 }), { cpuMs: 600_000 });
  await child.start();
  console.log("started");
`;

test("a process that works on texts ends soon after the service is killed", { skip }, async () => {
  const parent = leash(
    spawn(process.execPath, ["--input-type=module", "-e", PARENT], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  await once(parent.stdout, "data");
  const [pid = 0] = childrenRunning("content-worker", parent.pid);
  const cpuAtStart = readCpuMs(pid) ?? 0;
  await until("it is at it", () => (readCpuMs(pid) ?? 0) > cpuAtStart + 1_000);
  const cpuBefore = readCpuMs(pid) ?? 0;
  parent.kill("SIGKILL");
  let cpu = cpuBefore;
  await until("it has ended", () => {
    cpu = readCpuMs(pid) ?? cpu;
    return !isRunning(String(pid));
  });
  // The texts take five seconds and more.
  assert.ok(cpu - cpuBefore < 2_500, `it worked for ${cpu - cpuBefore} ms`);
});

/** Waits for the end of content processes while nothing else keeps it alive; it blocks itself so that its children are ahead of it. */
const WAITER = `
  import { subscribe } from "node:diagnostics_channel";
  import { readFileSync } from "node:fs";
  import { MessageChannel } from "node:worker_threads";
  import { contentProcess } from ${JSON.stringify(new URL("../../src/content-processes/processes.ts", import.meta.url))};
  const children = [];
  subscribe("child_process", ({ process }) => children.push(process));
  const texts = [{ type: "derive", source: { ...${JSON.stringify(BLANK_SOURCE)}, markdown: "Tea. ".repeat(1_000) }, startedAt: 0 }];
  const start = async () => {
    const started = contentProcess({ program: "content-worker.ts", heapMb: 160 });
    await started.ask("process", texts);
    return started;
  };
  const look = ({ pid }, file, what) => what.exec(readFileSync("/proc/" + pid + "/" + file, "latin1"))?.[1];
  // With all of its threads.
  const untilDead = (child) => { while (look(child, "status", /^State:\\tZ[^]*^(Threads:\\t1)$/m) === undefined); };
  const written = (child) => Number(look(child, "io", /^wchar: (\\d+)/m));
`;

async function runWaiter(script: string): Promise<{ code: unknown; output: string }> {
  const waiter = leash(
    spawn(process.execPath, ["--input-type=module", "-e", WAITER + script], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const [output, [code]] = await Promise.all([text(waiter.stdout), once(waiter, "close") as Promise<unknown[]>]);
  return { code, output };
}

describe("whoever disposes of content processes survives until they have ended, if", { skip }, () => {
  test("two end at once", async () => {
    const result = await runWaiter(`
      const [first, second] = [await start(), await start()];
      const { port1, port2 } = new MessageChannel();
      const { promise: secondEnded, resolve } = Promise.withResolvers();
      // Comes after the first one's end was noticed, and before it is reaped.
      port2.once("message", () => {
        resolve(second[Symbol.asyncDispose]());
        untilDead(children[1]);
        port2.close();
      });
      const firstEnded = first[Symbol.asyncDispose]();
      untilDead(children[0]);
      port1.postMessage("");
      await Promise.all([firstEnded, secondEnded]);
      console.log("ended");
    `);
    assert.deepEqual(result, { code: 0, output: "ended\n" });
  });

  test("one is answering", async () => {
    const result = await runWaiter(`
      const process = await start();
      const before = written(children[0]);
      const answer = process.ask("process", texts);
      // The request is sent.
      await Promise.resolve();
      while (written(children[0]) < before + 1_000);
      await process[Symbol.asyncDispose]();
      await answer;
      console.log("ended");
    `);
    assert.deepEqual(result, { code: 0, output: "ended\n" });
  });
});

test("a process that has grown with a text gives the memory back when it is idle", { skip }, async () => {
  await using worker = contentProcess<ContentCalls>({ program: "content-worker.ts", heapMb: 320 });
  await worker.ask("process", [{ type: "derive", source: LONG, startedAt: TODAY }]);
  const [pid = 0] = contentProcesses();
  const grown = residentMb(pid);
  await until("it is smaller", () => residentMb(pid) < grown - 50);
});
