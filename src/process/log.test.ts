import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createReadStream, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { tempFolder } from "../../test/helpers/folder.ts";
import { LONG_ONLY } from "../../test/helpers/full-run.ts";

/** Runs the code in a process of its own with a `log`. @returns the lines that it wrote. */
function linesOf(code: string, level = "info"): Record<string, unknown>[] {
  const script = `import { openLog } from ${JSON.stringify(join(import.meta.dirname, "log.ts"))}; const log = openLog("${level}"); ${code}`;
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.ok(text === "" || text.endsWith("\n"));
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a line has level, time, facts and message; what is below the level is left out", () => {
  const lines = linesOf(`
    log.info({ url: "http://127.0.0.1", missing: undefined }, "serving");
    log.warn({}, "slow");
    log.attempt({ outcome: "success", ms: 1 });
    log.attempt({ outcome: "http_error", ms: 1.23456 });`);
  const [first] = lines;
  assert.ok(Math.abs(Date.parse(String(first?.["time"])) - Date.now()) < 60_000);
  assert.deepEqual(
    lines.map((line) => Object.fromEntries(Object.entries(line).filter(([name]) => name !== "time"))),
    [
      { level: 30, url: "http://127.0.0.1", msg: "serving" },
      { level: 40, msg: "slow" },
      { level: 30, outcome: "http_error", ms: 1.235, msg: "webhook attempt" },
    ],
  );
  assert.deepEqual(Object.keys(first ?? {}), ["level", "time", "url", "msg"]);
  assert.deepEqual(linesOf(`log.error(new Error("x"), "y");`, "silent"), []);
});

test("an error has its type, its properties, and its causes, which may be circular", () => {
  const [line, circular] = linesOf(`
    const inner = Object.assign(new TypeError("inner"), { code: "E_INNER" });
    log.error(Object.assign(new Error("outer", { cause: inner }), { code: "E_OUTER", at: { line: 1 } }), "failed");
    inner.cause = inner; inner.self = inner; inner.loop = [inner]; inner.loop.push(inner.loop);
    log.error(inner, "circular");`);
  const error = line?.["err"] as Record<string, unknown>;
  assert.equal(error["type"], "Error");
  assert.equal(error["message"], "outer: inner");
  assert.match(String(error["stack"]), /^Error: outer\n[^]*\ncaused by: TypeError: inner\n/);
  assert.equal(error["code"], "E_OUTER");
  assert.deepEqual(error["at"], { line: 1 });
  assert.equal(circular?.["msg"], "circular");
});

test("every line is written, in order, whatever its length; only a write under way at process.exit may come later", () => {
  const code = `for (let number = 0; number < 300; number++) log.info({ number, text: "ä".repeat(number % 7 === 0 ? 5_000 : 100) }, "line");`;
  const numbers = Array.from({ length: 300 }, (_, number) => number);
  const written = (end: string) => linesOf(code + end).map((line) => line["number"]);
  for (const end of ["", "await new Promise(setImmediate);"]) assert.deepEqual(written(end), numbers);
  for (const end of ["process.exit(0);", "log.flush(); process.exit(0);"]) {
    const found = written(end);
    // The first line is being written by another thread while the others are written at once.
    assert.deepEqual([found.includes(0), found.filter((number) => number !== 0)], [true, numbers.slice(1)]);
  }
});

test("of one kind of refusal of one address ten are logged each minute, and the others counted", () => {
  const lines = linesOf(`
    const facts = { requestId: "r", method: "GET", url: "/", ms: 1 };
    for (let number = 0; number < 1_000; number++) {
      log.finished({ ...facts, status: 401, address: "192.0.2.1" });
      log.finished({ ...facts, status: 404, address: "192.0.2.1" });
      log.failed({ ...facts, address: "192.0.2." + number }, new Error("no database"));
      log.warn({}, "never summed");
    }
    log.flush();`);
  const count = (message: string) => lines.filter(({ msg }) => msg === message).length;
  assert.deepEqual([count("request"), count("request failed"), count("never summed")], [20, 10, 1_000]);
  assert.deepEqual(
    lines
      .filter(({ msg }) => msg === "further requests refused")
      .map(({ kind, address, count }) => [kind, address, count]),
    [
      ["401", "192.0.2.1", 990],
      ["404", "192.0.2.1", 990],
      ["Error: no database", "", 990],
    ],
  );
});

test("however many addresses are refused, the lines of a minute are bounded", () => {
  const lines = linesOf(`
    for (let number = 0; number < 20_000; number++)
      log.finished({ requestId: "r", method: "GET", url: "/", ms: 1, status: 401, address: "a" + number });
    log.flush();`);
  assert.ok(lines.length < 300, String(lines.length));
});

test(
  "a reader that is stuck costs bounded memory, and the process ends all the same",
  process.platform === "linux" ? LONG_ONLY : { skip: "only Linux opens a named pipe to read and write" },
  async () => {
    await using folder = await tempFolder();
    execFileSync("mkfifo", [folder.at("pipe")]);
    // Open, and never read.
    const pipe = openSync(folder.at("pipe"), "r+");
    const script = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, "log.ts"))};
    const log = openLog("info");
    const before = process.memoryUsage().rss;
    for (let turn = 0; turn < 300; turn++) {
      for (let number = 0; number < 1_000; number++) log.info({ text: "x".repeat(500) }, "line");
      await new Promise(setImmediate);
    }
    process.stderr.write(String(Math.round((process.memoryUsage().rss - before) / 1e6)));
    log.flush();
    log.info({}, "as after a step of a migration");
    log.flush();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", pipe, "pipe"],
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    assert.ok(child.stderr);
    const [grown, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    closeSync(pipe);
    assert.equal(code, 0);
    assert.ok(Number(grown) < 100, `${grown} MB of 165`);
  },
);

test(
  "lines that are dropped while nobody reads are counted, and the count is logged when somebody does",
  { skip: process.platform !== "linux" },
  async () => {
    await using folder = await tempFolder();
    execFileSync("mkfifo", [folder.at("pipe")]);
    const pipe = openSync(folder.at("pipe"), "r+");
    const script = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, "log.ts"))};
    const log = openLog("info");
    for (let number = 0; number < 20_000; number++) log.info({ text: "x".repeat(500) }, "line");
    process.stderr.write("written");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", pipe, "pipe"],
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    assert.ok(child.stderr);
    await once(child.stderr, "data");
    const reading = text(createReadStream(folder.at("pipe")));
    await once(child, "close");
    closeSync(pipe);
    const lines = (await reading)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { msg: string; lines?: number });
    const dropped = lines.filter(({ msg }) => msg.startsWith("lines were dropped"));
    const written = lines.length - dropped.length;
    assert.ok(dropped.length > 0 && written > 1_000, `${written} of 20,000`);
    assert.equal(written + dropped.reduce((sum, one) => sum + (one.lines ?? 0), 0), 20_000);
  },
);

test("no line has a secret", () => {
  const [line] = linesOf(
    `log.warn({ url: "postgres://user:word@host/db" }, "rs_0123456789abcdefghijklmnopqrstuvwxyzABCD");`,
  );
  assert.deepEqual([line?.["url"], line?.["msg"]], ["postgres://[redacted]@host/db", "rs_[redacted]"]);
});
