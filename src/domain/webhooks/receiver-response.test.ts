import assert from "node:assert/strict";
import { test } from "node:test";
import { readReceiverResponse } from "./receiver-response.ts";
import { fc } from "../../../test/helpers/properties.ts";

const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);

function read(status: number | null, headers: Record<string, string> = {}, body: unknown = "") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readReceiverResponse(
    { status, responseHeaders: Object.entries(headers), responseBody: Buffer.from(text) },
    NOW,
  );
}

const retryAfter = (value: string, status = 429) => read(status, { "retry-after": value }).retryAfterMs;
const directive = (value: string, status: number) => read(status, { "webhook-delivery": value }).directive;
const receipt = (body: unknown, status = 200) => read(status, {}, body).receipt;

test("Retry-After is read as seconds", () => {
  assert.deepEqual(
    ["0", "120", " 7 "].map((value) => retryAfter(value)),
    [0, 120_000, 7_000],
  );
  assert.equal(retryAfter("9".repeat(400)), Number.MAX_SAFE_INTEGER);
});

test("Retry-After is read as a date in the three forms of RFC 9110, and a past one is now", () => {
  assert.equal(retryAfter("Sun, 01 Mar 2026 12:01:00 GMT"), 60_000);
  assert.equal(retryAfter("Sunday, 01-Mar-26 12:01:00 GMT"), 60_000);
  assert.equal(retryAfter("Sun Mar  1 12:01:00 2026"), 60_000);
  assert.equal(retryAfter("Sun, 06 Nov 1994 08:49:37 GMT"), 0);
  assert.equal(retryAfter("Sunday, 06-Nov-94 08:49:37 GMT"), 0);
});

test("a Retry-After that is neither is ignored", () => {
  const wrong = ["", "soon", "-5", "1.5", "1e3", "0x10", "2026-03-01T12:01:00Z", "Sun, 31 Feb 2026 12:01:00 GMT"];
  wrong.push("Sun, 01 Mar 2026 25:01:00 GMT", "Sun, 01 Foo 2026 12:01:00 GMT", "Sun, 01 Mar 2026 12:01:00 CET");
  for (const value of wrong) assert.equal(retryAfter(value), null, value);
});

test("Retry-After counts only on 429 and 503", () => {
  assert.deepEqual(
    [429, 503].map((status) => retryAfter("60", status)),
    [60_000, 60_000],
  );
  for (const status of [200, 301, 404, 500, 502]) assert.equal(retryAfter("60", status), null, String(status));
});

test("the header webhook-delivery is obeyed on any status, in any case, and its other values are ignored", () => {
  assert.deepEqual(
    [200, 410, 500].map((status) => directive("disable", status)),
    Array(3).fill("disable"),
  );
  assert.deepEqual(
    [200, 410, 500].map((status) => directive(" Abort-Message ", status)),
    Array(3).fill("abort"),
  );
  for (const value of ["", "abort", "enable", "disable, abort-message"])
    assert.equal(directive(value, 500), null, value);
});

test("a receipt is read from the JSON of a 2xx, under either name", () => {
  const both = { platformUrl: "https://blog.example/post/1", platformPostId: "42" };
  assert.deepEqual(receipt({ platform_url: both.platformUrl, platform_post_id: "42" }), both);
  assert.deepEqual(receipt({ url: both.platformUrl, id: 42 }, 201), both);
  assert.deepEqual(
    receipt({ url: "https://other.example/", platform_url: both.platformUrl, id: 1, platform_post_id: 42 }),
    both,
  );
  assert.deepEqual(receipt({ id: "a" }), { platformUrl: null, platformPostId: "a" });
});

test("only a 2xx has a receipt", () => {
  for (const status of [100, 301, 404, 500]) assert.equal(receipt({ id: 1 }, status), null, String(status));
  assert.equal(read(null, {}, { id: 1 }).receipt, null);
});

test("anything else is ignored, part by part", () => {
  for (const body of ["", "OK", "{", "null", "[]", '"x"', "7", {}, { id: null }]) assert.equal(receipt(body), null);
  const urls = [
    "/post/1",
    "ftp://a.example/",
    "javascript:alert(1)",
    "https:a.example",
    "https://",
    "https://a b/",
    7,
    null,
  ];
  for (const url of [...urls, "https://a.example/\u0000", `https://a.example/${"x".repeat(2_031)}`]) {
    assert.deepEqual(receipt({ url, id: "1" }), { platformUrl: null, platformPostId: "1" }, String(url));
  }
  for (const id of ["", "x".repeat(201), "a\u0000b", "\ud800", 1.5, 1e300, true, { a: 1 }, ["1"]]) {
    assert.deepEqual(receipt({ id, url: "https://a.example/" }), {
      platformUrl: "https://a.example/",
      platformPostId: null,
    });
  }
});

test("the longest allowed URL and id are kept", () => {
  const url = `https://a.example/${"x".repeat(2_048 - 18)}`;
  const id = "x".repeat(200);
  assert.deepEqual(receipt({ url, id }), { platformUrl: url, platformPostId: id });
});

test("no response, whatever its bytes, is an error", () => {
  const header = fc.tuple(fc.constantFrom("retry-after", "webhook-delivery", "date"), fc.string());
  const body = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(fc.option(fc.integer({ min: 100, max: 599 })), fc.array(header), body, (status, headers, bytes) => {
      const answer = readReceiverResponse({ status, responseHeaders: headers, responseBody: Buffer.from(bytes) }, NOW);
      assert.ok(answer.retryAfterMs === null || answer.retryAfterMs >= 0);
    }),
  );
});
