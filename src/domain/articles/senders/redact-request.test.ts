import assert from "node:assert/strict";
import { test } from "node:test";
import type { BodyProof } from "./credentials.ts";
import type { Credential } from "./dialect.ts";
import { redactRequest } from "./redact-request.ts";

const SECRET = "Zm9v/9Qx7+Lr 2Tk5ü";

const request = (
  {
    path = "",
    query = {},
    headers = {},
  }: { path?: string; query?: Record<string, string>; headers?: Record<string, string> },
  body = "",
  credentials: readonly Credential[] = [{ by: "bearer" }],
  proofs: Record<string, BodyProof> = {},
) => {
  const presented = { request: { method: "POST", path, query, headers }, body: Buffer.from(body), proofs };
  return redactRequest(credentials, [SECRET], presented);
};

test("the secret is replaced however it is written", () => {
  const ascii = String.raw`Zm9v/9Qx7+Lr 2Tk5\u00fc`;
  const ways = [
    SECRET,
    ascii,
    ascii.replace("/", String.raw`\/`),
    SECRET.replace("/", String.raw`\/`),
    Buffer.from(SECRET).toString("latin1"),
    encodeURIComponent(SECRET),
    encodeURIComponent(SECRET).replaceAll("%20", "+"),
    encodeURIComponent(SECRET)
      .toLowerCase()
      .replace(/^zm9v%2f9qx7%2blr%202tk5/, "Zm9v%2f9Qx7%2bLr%202Tk5"),
  ];
  for (const way of ways) {
    const { request: kept, body } = request(
      { path: `/a/${way}/b`, query: { q: `x${way}`, [way]: "" }, headers: { "x-forwarded": `for ${way}, ${way}` } },
      `{"text":"before ${way} after"}`,
    );
    assert.equal(body, '{"text":"before • after"}', way);
    assert.deepEqual(
      kept,
      { method: "POST", path: "/a/•/b", query: { q: "x•", "•": "" }, headers: { "x-forwarded": "for •, •" } },
      way,
    );
  }
});

test("of Base64 with a user's name only the edges stay", () => {
  for (const user of ["", "a", "ab", "abc", "a longer name"]) {
    for (const encoding of ["base64", "base64url"] as const) {
      const encoded = Buffer.from(`${user}:${SECRET}`).toString(encoding);
      const { body } = request({}, `{"credentials":"${encoded}"}`);
      const kept = body.slice('{"credentials":"'.length, -'"}'.length);
      assert.match(kept, /•/);
      assert.ok(kept.length <= Buffer.from(`${user}:`).toString("base64").length + 4, kept);
    }
  }
});

test("places of credentials and of others are replaced whole, whatever they hold", () => {
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjF9.c2lnbmVk";
  const credentials: Credential[] = [
    { by: "header", name: "X-Pass" },
    { by: "query", name: "pass" },
    { by: "path" },
    { by: "field", at: "uuid" },
    { by: "hmac", header: "X-Signature", prefix: "sha256=" },
  ];
  const body = '{"uuid":"another","title":"Tea"}';
  const { request: kept, body: keptBody } = request(
    {
      path: "/publish/another",
      query: { pass: "another", id: "1", token },
      headers: {
        authorization: "sha256=00ff",
        "proxy-authorization": "Basic eDp5",
        cookie: "a=b",
        "x-api-key": "k",
        "x-secret-key": "k",
        "x-pass": "another",
        "x-signature": "sha256=00ff",
        "x-jwt": `is "${token}"`,
        "content-type": "application/json",
      },
    },
    body,
    credentials,
    { uuid: { value: "another", valueAt: { from: 8, to: 17 }, memberAt: { from: 1, to: 18 } } },
  );
  assert.equal(keptBody, '{"uuid":"•","title":"Tea"}');
  assert.deepEqual(kept, {
    method: "POST",
    path: "/publish/•",
    query: { pass: "•", id: "1", token: "•" },
    headers: {
      authorization: "•",
      "proxy-authorization": "•",
      cookie: "•",
      "x-api-key": "•",
      "x-secret-key": "•",
      "x-pass": "•",
      "x-signature": "sha256=00ff",
      "x-jwt": 'is "•"',
      "content-type": "application/json",
    },
  });
});

test("an address without anything below it stays", () => {
  assert.equal(request({}, "", [{ by: "path" }]).request.path, "");
});

test("both secrets of a rotation, and the key of a token, are replaced; an empty one replaces nothing", () => {
  const jwt: Credential = { by: "jwt", scheme: "Ghost", audience: "/admin/", maxAgeSeconds: 300 };
  const body = Buffer.from("first second 00ff00ff00ff id");
  const presented = { request: { method: "POST", path: "", query: {}, headers: {} }, body, proofs: {} };
  assert.equal(redactRequest([jwt], ["id:00ff00ff00ff", "first", ""], presented).body, "• second • id");
});

test("a secret of special characters is found", () => {
  const body = Buffer.from("$& .*+?^$ \\ \u{1F375}");
  const presented = { request: { method: "POST", path: "", query: {}, headers: {} }, body, proofs: {} };
  assert.equal(redactRequest([{ by: "bearer" }], [".*+?^$"], presented).body, "$& • \\ \u{1F375}");
});
