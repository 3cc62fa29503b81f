import assert from "node:assert/strict";
import { test } from "node:test";
import { readProofs } from "./read-proofs.ts";

const cases: [body: string, place: string, value: string, rest: string][] = [
  ['{"a":1,"mac":"x"}', "mac", "x", '{"a":1}'],
  ['{"mac":"x","a":1}', "mac", "x", '{"a":1}'],
  ['{"mac":"x"}', "mac", "x", "{}"],
  ['{"a":1,"mac":"x","b":2}', "mac", "x", '{"a":1,"b":2}'],
  [' { "a" : [ "]" , {} ] , "mac" : "x" } ', "mac", "x", ' { "a" : [ "]" , {} ]  } '],
  [String.raw`{"a":"\\","m\u0061c":"\u0078\"\\"}`, "mac", String.raw`x"\ `.trim(), String.raw`{"a":"\\"}`],
  [
    '{"meta":{"mac":"no"},"data":{"meta":{"mac":"x"},"mac":"no"}}',
    "data.meta.mac",
    "x",
    '{"meta":{"mac":"no"},"data":{"meta":{},"mac":"no"}}',
  ],
  [
    '{"a":"{\\"mac\\":\\"no\\"}","n":-1.5e3,"t":true,"mac":"x"}',
    "mac",
    "x",
    '{"a":"{\\"mac\\":\\"no\\"}","n":-1.5e3,"t":true}',
  ],
];

test("a member is found, with what is left without it", () => {
  for (const [body, place, value, rest] of cases) {
    const proof = readProofs(body, [place])[place];
    assert.ok(proof, body);
    assert.equal(proof.value, value);
    assert.equal(JSON.parse(body.slice(proof.valueAt.from, proof.valueAt.to)), value);
    assert.equal(body.slice(0, proof.memberAt.from) + body.slice(proof.memberAt.to), rest);
  }
});

test("a long body is read in its length, however it is nested", () => {
  const bodies = [
    `{"a":${"[".repeat(1_000_000)}`,
    `{"a":"${'\\"'.repeat(500_000)}"}`,
    `{${'"a":{},'.repeat(125_000)}"b":1}`,
  ];
  for (const body of bodies) assert.deepEqual(readProofs(body, ["mac", "meta.mac"]), {});
});
