/** One word for one thing, in the documents, the help of commands, messages and the dashboard. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseSync } from "oxc-parser";
import { ROOT } from "./described.ts";

/** What not to write, and what to write instead. */
const TERMS: readonly (readonly [avoid: RegExp, use: string])[] = [
  [/\btaken down\b/i, "unpublished"],
  [/\b(?:log(?:ged|s)? in|login)\b/i, "sign in"],
  [/\b(?:log(?:ged|s)? out|logout)\b/i, "sign out"],
  [/\bAPI tokens?\b/i, "access token (it writes), API key (it reads)"],
  [/\bevents feed\b/i, "event feed"],
  [/\b(?:working draft|draft version|pending changes)\b/i, "draft copy"],
  [/\b(?:recycle )?bin\b(?!\/)/i, "trash"],
  [/\bfrontmatter\b/i, "front matter"],
  [/\btime-outs?\b/i, "timeout"],
  [/\blook-ups?\b/i, "lookup"],
  [/\banew\b/i, "again"],
  [/\bmend(?:ed|s|ing)?\b/i, "fix, correct, repair"],
  [/\bwhoever\b/i, "anyone who, the person who"],
  [/\b(?:hereby|thereof|whereof|therein|hitherto)\b/i, "plain words"],
  [/(?<!-)\b(?:sanitiz|organiz|recogniz|summariz|normaliz)\w*/i, "British spelling: -is-"],
];

/** Modules whose texts are SQL, or words of other products and of articles. */
const NOT_OURS = /^src\/(?:store|importers|domain\/articles\/content|domain\/articles\/senders|http\/senders)\//;

const CODE = /`[^`]*`/g;

const blank = (found: string): string => found.replaceAll(/[^\n]/g, " ");

/** The prose of a document: without code, addresses of links, and comments. */
function toProse(text: string): string {
  return text
    .replaceAll(/^(```+).*\n[\s\S]*?^\1$/gm, blank)
    .replaceAll(/^ {4}.*$/gm, blank)
    .replaceAll(/\]\([^)]*\)|<!--[\s\S]*?-->/g, blank)
    .replaceAll(CODE, blank);
}

/** The texts in a module that people read: with a space, or a label that begins with a capital. */
function readStrings(path: string): { line: number; text: string }[] {
  const source = readFileSync(join(ROOT, path), "utf8");
  const found: { line: number; text: string }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const { type, value, start } = node as { type?: string; value?: unknown; start?: number };
    const text = type === "TemplateElement" ? (value as { cooked: string }).cooked : value;
    const isText = type === "Literal" || type === "JSXText" || type === "TemplateElement";
    if (isText && typeof text === "string" && (/^[A-Z]/.test(text) || /\w \w/.test(text))) {
      found.push({ line: source.slice(0, start).split("\n").length, text });
    }
    for (const [key, child] of Object.entries(node)) if (key !== "value" || type !== "TemplateElement") visit(child);
  };
  visit(parseSync(path, source).program);
  return found;
}

function findAvoided(where: string, text: string, offset = 1): string[] {
  return TERMS.flatMap(([avoid, use]) =>
    Array.from(text.matchAll(new RegExp(avoid, "gi")), ({ 0: word, index }) => {
      const line = text.slice(0, index).split("\n").length - 1 + offset;
      return `${where}:${line}: "${word}"; write: ${use}`;
    }),
  );
}

test("the documents use one word for one thing", () => {
  const documents = globSync(["README.md", "SECURITY.md", "docs/**/*.md", "client/README.md", "kits/*/README.md"], {
    cwd: ROOT,
    // Names of tests are quoted there.
    exclude: (name) => name.endsWith("specification.md"),
  });
  assert.ok(documents.length > 40);
  const found = documents.flatMap((path) => findAvoided(path, toProse(readFileSync(join(ROOT, path), "utf8"))));
  assert.deepEqual(found, []);
});

test("the help of commands uses one word for one thing", () => {
  const path = "docs/reference/commands.md";
  assert.deepEqual(findAvoided(path, readFileSync(join(ROOT, path), "utf8")), []);
});

test("the dashboard, the messages of commands and those of the service use one word for one thing", () => {
  const modules = globSync(["dashboard/src/**/*.{ts,tsx}", "src/**/*.ts"], { cwd: ROOT }).filter(
    (path) => !/\.test\.tsx?$/.test(path) && !NOT_OURS.test(path),
  );
  const texts = modules.flatMap((path) => readStrings(path).map(({ line, text }) => ({ path, line, text })));
  assert.ok(texts.length > 5_000, `${texts.length} texts`);
  assert.deepEqual(
    texts.flatMap(({ path, line, text }) => findAvoided(path, text.replaceAll(CODE, ""), line)),
    [],
  );
});
