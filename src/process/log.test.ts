import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

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

test("no line has a secret", () => {
  const [line] = linesOf(
    `log.warn({ url: "postgres://user:word@host/db" }, "rs_0123456789abcdefghijklmnopqrstuvwxyzABCD");`,
  );
  assert.deepEqual([line?.["url"], line?.["msg"]], ["postgres://[redacted]@host/db", "rs_[redacted]"]);
});
