/** The packages that are published beside the service. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "..", "..");
const PACKAGES = ["client", "kits/next", "kits/astro", "kits/create-rostrum-site"];

test("each package is packed with its README and the licence", async () => {
  const workspaces = PACKAGES.flatMap((path) => ["--workspace", path]);
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", ...workspaces];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: ROOT });
  // npm's own form of this answer.
  const packed = Object.values(JSON.parse(stdout) as Record<string, { name: string; files: { path: string }[] }>);
  assert.equal(packed.length, PACKAGES.length);
  for (const { name, files } of packed) {
    const paths = new Set(files.map(({ path }) => path));
    assert.ok(paths.has("LICENSE") && paths.has("README.md"), `${name}: ${[...paths].join(", ")}`);
  }
  const licence = readFileSync(join(ROOT, "LICENSE"), "utf8");
  for (const path of PACKAGES) assert.equal(readFileSync(join(ROOT, path, "LICENSE"), "utf8"), licence, path);
});
