/** The dashboard as it is built: what the first visit costs, and what must not be in it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { buildDashboard } from "../../tools/build-dashboard.ts";

const DIST = join(import.meta.dirname, "..", "..", "dashboard", "dist");
const MAX_BYTES = 250_000;

before(async () => {
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
});

function read(path: string): string {
  return readFileSync(join(DIST, path), "utf8");
}

/** Scripts that are fetched before anything is shown: those of the page, and all that they import at once. */
function firstScripts(): Set<string> {
  const found = new Set<string>();
  const waiting = Array.from(
    read("index.html").matchAll(/(?:src|href)="\/dashboard\/([^"]+\.js)"/g),
    ([, path]) => path,
  );
  for (const path of waiting) {
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    // `import("./x.js")` is for later, and has a bracket.
    for (const [, name] of read(path).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) {
      waiting.push(`assets/${name}`);
    }
  }
  return found;
}

test("the first load is at most 250 kB of script, compressed with gzip", () => {
  const sizes = Object.fromEntries([...firstScripts()].map((path) => [path, gzipSync(read(path)).length]));
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  assert.ok(total > 0);
  assert.ok(total <= MAX_BYTES, `${total} bytes: ${JSON.stringify(sizes, null, 2)}`);
});

test("the page has no script and no style of its own, which the policy would refuse", () => {
  const html = read("index.html");
  for (const [tag] of html.matchAll(/<script\b[^>]*>/g)) assert.match(tag, /\ssrc="\/dashboard\//);
  assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|https?:|data:/i);
});

test("no source map and no data: address of a script or style is built", () => {
  const names = readdirSync(DIST, { recursive: true, encoding: "utf8" });
  assert.deepEqual(
    names.filter((name) => name.endsWith(".map")),
    [],
  );
  for (const name of names.filter((one) => /\.(js|css)$/.test(one))) {
    assert.doesNotMatch(read(name), /sourceMappingURL|data:(text|application)\/(javascript|css)|(?<!\.)\beval\(/, name);
  }
});
