/** What `npm run release` refuses, before it changes anything. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cloneCheckout } from "./clone.ts";

test("a release is refused in one sentence for each reason, and changes nothing", async () => {
  await using clone = await cloneCheckout();
  const refused = async (args: string[], ...reasons: RegExp[]) => {
    const before = [clone.git("rev-parse", "HEAD"), clone.git("tag"), clone.git("status", "--porcelain")];
    const { code, stdout, stderr } = await clone.release(...args);
    assert.deepEqual([code, stdout], [1, ""], stderr);
    const lines = stderr.trim().split("\n");
    assert.equal(lines.length, reasons.length, stderr);
    for (const [index, reason] of reasons.entries()) assert.match(lines[index] ?? "", reason);
    assert.deepEqual([clone.git("rev-parse", "HEAD"), clone.git("tag"), clone.git("status", "--porcelain")], before);
  };
  for (const word of ["1.2", "1.2.3-rc.1"]) {
    await refused(
      [word],
      new RegExp(`^"${word}" is no version: name one such as 1\\.2\\.3, or patch, minor or major\\.$`),
    );
  }
  for (const args of [["1.2.3", "1.2.4"], ["--build"]]) {
    await refused(args, /^Usage: npm run release -- \[--dry-run\]/);
  }

  clone.git("tag", "v2.0.0");
  await refused(["2.0.0"], /^The tag v2\.0\.0 exists: name a later version\.$/);
  await refused(["1.99.99"], /^2\.0\.0 is released, and is later than 1\.99\.99: name a later version\.$/);
  clone.git("tag", "v0.1.0");
  await refused([], /^0\.1\.0 is released: name the next version, or patch, minor or major\.$/);

  clone.git("switch", "--quiet", "--create", "other");
  writeFileSync(
    join(clone.path, "CHANGELOG.md"),
    "# Changelog\n\n## Unreleased\n\n## 0.1.0 – 2026-01-01\n\n- Something\n",
  );
  await refused(
    ["3.0.0"],
    /^Releases are made on main, and this is other: run git switch main\.$/,
    /^There are changes that are not committed, such as CHANGELOG\.md: commit or stash them\.$/,
    /^CHANGELOG\.md has no entry under "Unreleased": write what users get\.$/,
  );
});
