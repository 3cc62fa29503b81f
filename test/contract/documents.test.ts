/** README, the guides and the documents for contributors: their links, commands and questions lead to what exists. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { runCli } from "../helpers/cli-in-process.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const DOCUMENTS = globSync(["*.md", "docs/**/*.md", "client/README.md", "kits/*/README.md"], { cwd: ROOT });

/** At the start of a line, of code within a line, or after a pipe: `npx rostrum key create`. */
const COMMAND = /(?:(?:^|[`|] ?)(?:npx )?rostrum|bin\/rostrum\.js)[ \n]([a-z][a-z-]*)(?:[ \n]([a-z][a-z-]*))?/gm;
/** Commands that consist of two words. */
const GROUPS: ReadonlySet<string> = new Set(["article", "key", "token", "user", "webhook", "website"]);

test("every link of a document leads to a file, and to a heading of it", () => {
  assert.ok(DOCUMENTS.length > 30);
  for (const document of DOCUMENTS) {
    const prose = read(document).replaceAll(/^(```+).*\n[\s\S]*?^\1$|`[^`\n]*`/gm, "");
    for (const [, link = ""] of prose.matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)\)/g)) {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? document : join(dirname(document), path);
      assert.ok(existsSync(join(ROOT, target)), `${document}: ${link}`);
      if (anchor !== undefined) assert.ok(toAnchors(read(target)).includes(anchor), `${document}: ${link}`);
    }
  }
});

/** The anchors that Markdown viewers give to headings. */
function toAnchors(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
}

test("every command that a document names exists", async () => {
  const commands = new Map<string, string>();
  for (const document of DOCUMENTS.filter((name) => name !== "CHANGELOG.md")) {
    const calls = read(document).matchAll(COMMAND);
    for (const [, first = "", second] of calls) {
      commands.set(GROUPS.has(first) && second !== undefined ? `${first} ${second}` : first, document);
    }
  }
  assert.ok(commands.size > 20);
  for (const [command, document] of commands) {
    assert.equal((await runCli([...command.split(" "), "--help"])).code, 0, `${document}: rostrum ${command}`);
  }
});

test("every command that a message of the product names exists", async () => {
  const commands = new Map<string, string>();
  for (const file of globSync(["src/**/*.ts", "dashboard/src/**/*.{ts,tsx}"], { cwd: ROOT })) {
    for (const [, first = "", second = ""] of read(file).matchAll(/["'`:] ?rostrum ([a-z]+) ([a-z][a-z-]*)/g)) {
      if (GROUPS.has(first)) commands.set(`${first} ${second}`, file);
    }
  }
  assert.ok(commands.size > 10);
  for (const [command, file] of commands) {
    assert.equal((await runCli([...command.split(" "), "--help"])).code, 0, `${file}: rostrum ${command}`);
  }
});

test("CONTRIBUTING.md answers at least thirty questions, each by one path that exists", () => {
  const [, table = ""] = read("CONTRIBUTING.md").split("## Where is …?");
  const rows = Array.from(table.matchAll(/^\| ([^|]+) \| `([^`|]+)` \|$/gm));
  assert.ok(rows.length >= 30, `${rows.length} questions`);
  assert.equal(new Set(rows.map(([, question]) => question)).size, rows.length);
  for (const [, question = "", path = ""] of rows) assert.ok(existsSync(join(ROOT, path)), question);
});

test("ARCHITECTURE.md describes five journeys, and each function that it names is in the file that it names", () => {
  const text = read("ARCHITECTURE.md");
  const [, journeys = ""] = /^## Five journeys\n([\s\S]*?)^## /m.exec(text) ?? [];
  assert.equal(Array.from(journeys.matchAll(/^- \*\*/gm)).length, 5);
  const named = Array.from(text.matchAll(/`([\w/.-]+\.tsx?)`\s+`(\w+)`/g));
  assert.ok(named.length >= 4, `${named.length} functions`);
  for (const [, path = "", name = ""] of named)
    assert.match(read(join("src", path)), new RegExp(`\\b${name}\\b`), path);
});

test("every file that a comment of the program or its tests names exists", () => {
  const files = globSync("{bin,src,test,tools,bench,dashboard}/**/*.{ts,tsx,js,mjs,cjs}", {
    cwd: ROOT,
    exclude: ["**/node_modules", "**/dist"],
  });
  const names = new Set(files.map((file) => basename(file)));
  // An example of what its output is like.
  const unknown = files
    .filter((file) => file !== "tools/check-regexes.ts")
    .flatMap((file) =>
      Array.from(read(file).matchAll(/^\s*(?:\/\*\*|\*|\/\/) .*$/gm), ([comment]) => comment).flatMap((comment) =>
        Array.from(comment.matchAll(/(?<![\w.*{-])\w[\w-]*(?:\.[\w-]+)*\.tsx?\b/g), ([name]) => name)
          .filter((name) => !names.has(name))
          .map((name) => `${file}: ${name}`),
      ),
    );
  assert.deepEqual(unknown, []);
});

test("every row of the threat model names code and a test, and each of them exists", () => {
  const rows = read("SECURITY.md")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| Attacker"));
  assert.ok(rows.length > 0);
  for (const row of rows) {
    const paths = Array.from(row.matchAll(/`((?:src|test|tools)\/[^`]+)`/g), ([, path]) => path ?? "");
    assert.ok(paths.length >= 2 && paths.some((path) => path.endsWith(".test.ts")), row);
    for (const path of paths) assert.ok(existsSync(join(ROOT, path)), path);
  }
});

test("every path that ARCHITECTURE.md, CONTRIBUTING.md and the decisions name exists", () => {
  const named = globSync(["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions/*.md"], { cwd: ROOT }).flatMap(
    (document) =>
      Array.from(read(document).matchAll(/`((?:[\w@.-]+\/)+[\w.-]+\.(?:tsx?|js))`/g), ([, path = ""]) => ({
        document,
        path,
      })),
  );
  assert.ok(named.length > 100, `${named.length} paths`);
  const missing = named.filter(({ path }) => !["", "src"].some((root) => existsSync(join(ROOT, root, path))));
  assert.deepEqual(missing, []);
});
