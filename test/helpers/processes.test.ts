import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { isRunning } from "../../src/process/identity.ts";
import { leash } from "./processes.ts";
import { until } from "./until.ts";

const STAYS = ["-e", "setInterval(() => undefined, 1000)"];

test("a child on a leash ends with the process that holds it, even when that is killed", async () => {
  const source = `
    import { spawn } from "node:child_process";
    import { leash } from ${JSON.stringify(import.meta.resolve("./processes.ts"))};
    console.log(leash(spawn(process.execPath, ${JSON.stringify(STAYS)}, { stdio: "ignore" })).pid);
    setInterval(() => undefined, 1000);
  `;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(holder.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  assert.equal(isRunning(`${pid}-`), true);
  holder.kill("SIGKILL");
  await until("the child has ended", () => !isRunning(`${pid}-`));
});

test("a child that ends by itself keeps its exit code", async () => {
  const child = leash(spawn(process.execPath, ["-e", "process.exitCode = 3"], { stdio: "ignore" }));
  assert.deepEqual(await once(child, "exit"), [3, null]);
});
