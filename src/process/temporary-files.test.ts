import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryPrefix } from "../domain/system/temporary-names.ts";
import { tempFolder } from "../../test/helpers/folder.ts";
import { removeAbandonedFiles } from "./temporary-files.ts";

test("what killed processes have left in the temporary folder is removed, and nothing else", async () => {
  await using folder = await tempFolder();
  const killed = spawn("sleep", ["100"]);
  await once(killed, "spawn");
  const running = spawn("sleep", ["100"]);
  await once(running, "spawn");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  try {
    const now = Date.now();
    const gone = [
      by(killed.pid, "upload", "a1"),
      by(killed.pid, "picture", "a2"),
      by(process.pid, "upload", "old"),
      "rostrum-import-7@another-host-a3",
    ];
    const kept = [
      by(running.pid, "upload", "b1"),
      by(process.pid, "upload", "b2"),
      "rostrum-import-8@another-host-b3",
      "rostrum-demo-x1",
      "rostrum-export-of-today",
      "upload-1",
    ];
    for (const name of [...gone, ...kept]) {
      const path = join(folder.path, name);
      if (name.includes("picture")) {
        await mkdir(path);
        await writeFile(join(path, "cleaned"), "x");
      } else await writeFile(path, "x");
    }
    const aged = (name: string, days: number) =>
      utimes(join(folder.path, name), new Date(now), new Date(now - days * 86_400_000));
    // Left by a process that had this one's id before the container was started again.
    for (const name of [gone[2], gone[3]]) await aged(name ?? "", 8);
    for (const name of [kept[0], kept[3], kept[4], kept[5]]) await aged(name ?? "", 80);
    assert.equal(await removeAbandonedFiles(folder.path), gone.length);
    assert.deepEqual((await readdir(folder.path)).toSorted(), kept.toSorted());
  } finally {
    running.kill("SIGKILL");
  }
});

function by(pid: number | undefined, kind: "upload" | "picture", random: string): string {
  return temporaryPrefix(kind).replace(`${process.pid}@`, `${pid}@`) + random;
}
