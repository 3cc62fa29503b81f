/** The numbers of ARCHITECTURE.md's journeys are those that `npm run journeys` measures, and stay within their goals. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { JOURNEYS, type Journey, measureJourney } from "../../tools/journeys.ts";

/** Files that a stranger reads to follow one; ARCHITECTURE.md says why where there are more. */
const GOALS: Record<Journey, number> = {
  "read, from memory": 14,
  "read, otherwise": 28,
  "publish by command": 26,
  "webhook with its publication": 50,
  "import a blog by command": 60,
  "approve in the dashboard": 48,
};

/** A timer that fires during the journey adds a file or two; one that the start has run already is missing. */
const TOLERANCE = 2;

const text = readFileSync(join(import.meta.dirname, "..", "..", "ARCHITECTURE.md"), "utf8");

for (const name of Object.keys(JOURNEYS) as Journey[]) {
  test(`${name}: ARCHITECTURE.md states its files and folders`, async () => {
    const row = new RegExp(`^\\| ${name} +\\| (\\d+) +\\| (\\d+) +\\|(.*)\\|$`, "m").exec(text);
    const [, files, folders, reason = ""] = row ?? [];
    const measured = await measureJourney(name);
    const rooms = new Set(measured.map((file) => dirname(file)));
    assert.ok(
      Math.abs(Number(files) - measured.length) <= TOLERANCE,
      `${measured.length} files:\n${measured.join("\n")}`,
    );
    assert.ok(Math.abs(Number(folders) - rooms.size) <= TOLERANCE, `${rooms.size} folders`);
    assert.equal(reason.trim() !== "", Number(files) > GOALS[name], `${files} files: ${reason}`);
  });
}
