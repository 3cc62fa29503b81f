import assert from "node:assert/strict";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { after, describe, test } from "node:test";
import { AppError } from "../domain/system/errors.ts";
import { Moved } from "./child-loop.ts";
import { Child, type ChildOptions } from "./child.ts";
import { childProcess, compileCache, type Program, thread } from "./child-program.ts";
import { isRunning } from "./identity.ts";
import { tempFolder } from "../../test/helpers/folder.ts";
import { until } from "../../test/helpers/until.ts";
import type { TestCalls } from "../../test/helpers/supervised-child.ts";

const SCRIPT = new URL("../../test/helpers/supervised-child.ts", import.meta.url);
const PROGRAMS: Record<string, () => Program> = {
  process: () => childProcess(SCRIPT, { flags: [], environment: compileCache() }),
  thread: () => thread(SCRIPT, {}),
};

const folder = await tempFolder();
after(() => folder[Symbol.asyncDispose]());
enableCompileCache(folder.path);

const open = (start: () => Program, options: Partial<ChildOptions<string>> = {}) =>
  new Child<TestCalls, string>({ start, ...options });

const startProcess = PROGRAMS["process"] as () => Program;
const startThread = PROGRAMS["thread"] as () => Program;
const skip = process.platform === "linux" ? false : "it looks into /proc";

for (const [kind, start] of Object.entries(PROGRAMS)) {
  describe(`a ${kind}`, () => {
    test("starts with its first call, and answers each, in parts too", async () => {
      await using child = open(start);
      assert.equal(child.isRunning, false);
      const parts: number[] = [];
      const [sum, done] = await Promise.all([
        child.ask("add", [1, 2]),
        child.ask("count", 3, { onPart: (number) => void parts.push(number) }),
      ]);
      assert.deepEqual([sum, done, parts], [3, "done", [1, 2, 3]]);
      assert.equal(child.isRunning, true);
    });

    test("uses the compiled code of whoever starts it", async () => {
      await using child = open(start);
      // The last part of the path is Node's, by V8's flags.
      const folder = dirname(getCompileCacheDir() ?? assert.fail("there is none"));
      assert.equal(dirname(String(await child.ask("getCompileCache", undefined))), folder);
    });

    test("passes on what a call throws, and goes on", async () => {
      await using child = open(start);
      const refused = await child.ask("refuse", "title").catch((error: unknown) => error);
      assert.ok(refused instanceof AppError);
      assert.deepEqual([refused.code, refused.field, refused.message], ["invalid", "title", "That is not allowed."]);
      assert.equal((refused.cause as Error).message, "the cause");
      assert.equal(await child.ask("add", [1, 2]), 3);
    });

    test("tells its parent what it was not asked for", async () => {
      const told: string[] = [];
      await using child = open(start, {
        onNotice: (notice) => told.push(notice),
        onError: (error, message) => told.push(`${message}: ${String(error)}`),
      });
      child.tell("tell", "before it runs");
      await child.start();
      child.tell("tell", "a notice");
      child.tell("reject", undefined);
      await until("it has told", () => told.length === 3);
      assert.deepEqual(told, ["a notice", "reported: Error: a notice", '"reject" failed: Error: unanswered']);
    });

    test("that fails has its calls rejected, and starts again with the next one", async () => {
      let ended = Promise.withResolvers<Error | undefined>();
      await using child = open(start, { onEnd: (failure) => ended.resolve(failure) });
      const fails = child.ask("grow", 1);
      fails.catch(() => undefined);
      await child.ask("fail", undefined).catch(() => undefined);
      await assert.rejects(fails, { why: "failure" });
      assert.match(String(await ended.promise), /a bug/);
      ended = Promise.withResolvers();
      assert.equal(await child.ask("add", [1, 2]), 3);
      await child.stop();
      assert.equal(await ended.promise, undefined);
    });

    test("that cannot start says so", async () => {
      const nowhere = new URL("nowhere.ts", import.meta.url);
      const program = kind === "thread" ? thread(nowhere, {}) : childProcess(nowhere, { flags: [], environment: {} });
      await using child = open(() => program);
      await assert.rejects(child.ask("add", [1, 2]), { why: "start" });
      await assert.rejects(child.start(), { why: "start" });
    });

    test("ends when it has been idle, but not while it is held, and when it is stopped", async () => {
      await using child = open(start, { stopAfterIdleMs: 1 });
      {
        using _ = child.hold();
        await child.ask("add", [1, 2]);
        assert.equal(child.isRunning, true);
      }
      await until("it has ended", () => !child.isRunning);
      const call = child.ask("grow", 1);
      const rejected = assert.rejects(call, { why: "stop" });
      await child.start();
      assert.equal(await child.stop(), false);
      await rejected;
      assert.equal(await child.stop(), true);
    });
  });
}

describe("a process", { skip }, () => {
  test("that exceeds its time is killed; a part may allow more", async () => {
    const counts: string[] = [];
    await using child = open(startProcess, { counters: { add: (name, n = 1) => counts.push(`${name} ${n}`) } });
    await assert.rejects(child.ask("spin", 60_000, { cpuMs: 100 }), { why: "time" });
    await child.ask("count", 1, { cpuMs: 100, onPart: () => 60_000 });
    await child.stop();
    assert.deepEqual(counts.toSorted(), [
      "killedForTime 1",
      "running -1",
      "running -1",
      "running 1",
      "running 1",
      "started 1",
      "started 1",
    ]);
  });

  test("that exceeds its memory is killed", async () => {
    await using child = open(startProcess, { maxResidentBytes: 150_000_000 });
    await assert.rejects(child.ask("grow", 200_000_000, { cpuMs: 60_000 }), { why: "memory" });
    const pid = await child.ask("identify", undefined);
    await child.stop();
    assert.equal(isRunning(String(pid)), false);
  });
});

describe("a thread", () => {
  test("may stop by itself in time", async () => {
    const told: string[] = [];
    const child = open(startThread, { onNotice: (notice) => told.push(notice) });
    await child.start();
    assert.deepEqual(await Promise.all([child.stop(60_000), child.stop(60_000)]), [true, true]);
    assert.deepEqual(told, ["stopping"]);
  });

  test("gets and gives memory that is moved, not copied", async () => {
    await using child = open(startThread);
    assert.equal(Buffer.from((await child.ask("move", "text")).bytes).toString(), "text");
    const bytes = new Uint8Array(10);
    assert.equal(await child.ask("measure", new Moved({ bytes }, [bytes.buffer])), 10);
    assert.equal(bytes.length, 0);
  });
});
