/** The judge shares no code with the service, and each of its rules finds its fault. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { type Arrival, type Change, judge, type Observations, type Read, type Rule } from "./judge.ts";

const ROOT = join(import.meta.dirname, "..", "..");

test("the fault rounds and all that they import share no code with the service", () => {
  const waiting = [join(import.meta.dirname, "run.ts")];
  const found = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import) \(?"([^"]+)"/g)) {
      if (name.startsWith(".")) waiting.push(join(dirname(file), name));
      else assert.match(name, /^(?:node:|pg$)/, `${relative(ROOT, file)} imports ${name}`);
    }
  }
  const names = [...found].map((file) => relative(ROOT, file));
  assert.ok(names.includes("test/fault-rounds/judge.ts"));
  assert.deepEqual(
    names.filter((name) => !/^test\/(?:fault-rounds|helpers)\//.test(name)),
    [],
  );
});

const published: Change = {
  articleId: "a",
  index: 0,
  kind: "article.published",
  token: "change 0",
  node: 0,
  orderedAt: 0,
  outcome: "acknowledged",
  endedAt: 10,
  notBefore: null,
};
const updated: Change = { ...published, index: 1, kind: "article.updated", token: "change 1", orderedAt: 100 };
const first: Arrival = {
  endpoint: "e",
  eventId: "1",
  sequence: 1,
  kind: "article.published",
  articleId: "a",
  token: "change 0",
  at: 20,
  status: 204,
  isSignatureValid: true,
};
const second: Arrival = {
  ...first,
  eventId: "2",
  sequence: 2,
  kind: "article.updated",
  token: "change 1",
  at: 120,
};
const read: Read = {
  articleId: "a",
  index: 1,
  node: 1,
  startedAt: 121,
  endedAt: 125,
  status: 200,
  token: "change 1",
};
const good: Observations = {
  changes: [published, updated],
  arrivals: [first, second],
  reads: [read],
  endpoints: ["e"],
  lastReads: [read],
};

function rules(seen: Partial<Observations>): Rule[] {
  return [...new Set(judge({ ...good, ...seen }).map(({ rule }) => rule))];
}

test("missing responses, and unanswered changes that happened or did not, are no violation", () => {
  const unknown: Change = { ...updated, index: 2, token: "change 2", outcome: "unknown", orderedAt: 200 };
  assert.deepEqual(rules({}), []);
  assert.deepEqual(
    rules({
      reads: [
        { ...read, status: null },
        { ...read, status: 503 },
      ],
    }),
    [],
  );
  assert.deepEqual(rules({ changes: [...good.changes, unknown] }), []);
  const third = { ...second, eventId: "3", sequence: 3, token: "change 2", at: 210 };
  const reads = [{ ...read, endedAt: 220, token: "change 2" }];
  assert.deepEqual(rules({ changes: [...good.changes, unknown], arrivals: [...good.arrivals, third], reads }), []);
});

const BROKEN: [string, Partial<Observations>, Rule[]][] = [
  ["an acknowledged change without a webhook", { arrivals: [first] }, ["lost"]],
  ["a webhook that was never accepted", { arrivals: [first, { ...second, status: 500 }] }, ["lost"]],
  ["no answer in the end", { lastReads: [{ ...read, status: null }] }, ["lost"]],
  ["an earlier state in the end", { lastReads: [{ ...read, token: "change 0" }] }, ["stale"]],
  ["a state that was read before its webhook's", { reads: [{ ...read, token: "change 0" }] }, ["stale"]],
  ["an article that is not there after its webhook", { reads: [{ ...read, status: 404, token: null }] }, ["stale"]],
  ["an earlier event after a later one", { arrivals: [{ ...second, at: 1 }, first] }, ["order"]],
  ["a repeat of an earlier event after a later one", { arrivals: [first, second, { ...first, at: 200 }] }, ["order"]],
  [
    "numbers against the order of the changes",
    {
      arrivals: [
        { ...second, sequence: 1 },
        { ...first, sequence: 2 },
      ],
    },
    ["order"],
  ],
  ["a webhook of no change", { arrivals: [first, second, { ...second, sequence: 3, token: "x" }] }, ["invented"]],
  [
    "a webhook of what was refused",
    { changes: [published, { ...updated, outcome: "refused" }], reads: [], lastReads: [] },
    ["invented"],
  ],
  ["a publication before its time", { changes: [{ ...published, notBefore: 500 }, updated] }, ["early"]],
  ["a wrong signature", { arrivals: [first, { ...second, isSignatureValid: false }] }, ["signature"]],
];

for (const [name, seen, expected] of BROKEN) {
  test(`the judge reports ${name}`, () => assert.deepEqual(rules(seen), expected));
}
