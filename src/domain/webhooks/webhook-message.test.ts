import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { mintSecret, signedHeaders, readReceiverResponse } from "./webhook-message.ts";
import { fc } from "../../../test/helpers/properties.ts";

const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const BODY = '{"test": 2432232314}';
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("the example of Standard Webhooks has its signature", () => {
  assert.deepEqual(signedHeaders(ID, 1_614_265_330, BODY, [SECRET]), {
    "webhook-id": ID,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("another implementation accepts the signature, whatever characters the body has", () => {
  const secret = mintSecret(randomBytes);
  const now = Math.floor(Date.now() / 1_000);
  for (const body of ["", "{}", "Straße 茶 \u{1F375} \u2028\r\n", "a.b.c"]) {
    const headers = signedHeaders(ID, now, body, [secret]);
    if (body === "{}") assert.deepEqual(new Webhook(secret).verify(body, headers), {});
    const expected = new Webhook(secret).sign(ID, new Date(now * 1_000), body);
    assert.equal(headers["webhook-signature"], expected);
  }
});

test("bytes have the signature that another implementation makes, whatever the lengths of body and secret", () => {
  const sizes = [0, 1, 63, 64, 65, 2_048, 16_200, 16_300, 16_384, 40_000];
  for (const size of sizes) {
    for (const keyBytes of [24, 32, 63, 64, 65, 66, 200]) {
      const [body, key] = [randomBytes(size), randomBytes(keyBytes)];
      const headers = signedHeaders(ID, 1_614_265_330, body, [`whsec_${key.toString("base64")}`]);
      const expected = createHmac("sha256", key).update(`${ID}.1614265330.`).update(body).digest("base64");
      assert.equal(headers["webhook-signature"], `v1,${expected}`, `${size} bytes, a secret of ${keyBytes}`);
    }
  }
});

test("another implementation refuses it with another id, time, body or secret", () => {
  const now = Math.floor(Date.now() / 1_000);
  const headers = signedHeaders(ID, now, BODY, [SECRET]);
  const verify = (body: string, changed: object, secret = SECRET) =>
    new Webhook(secret).verify(body, { ...headers, ...changed });
  assert.deepEqual(verify(BODY, {}), { test: 2_432_232_314 });
  assert.throws(() => verify(`${BODY} `, {}));
  assert.throws(() => verify(BODY, { "webhook-id": "msg_other" }));
  assert.throws(() => verify(BODY, { "webhook-timestamp": String(now - 1) }));
  assert.throws(() => verify(BODY, {}, mintSecret(randomBytes)));
});

test("each secret signs, in the order given, and a receiver with either accepts it", () => {
  const secrets = [mintSecret(randomBytes), mintSecret(randomBytes)];
  const now = Math.floor(Date.now() / 1_000);
  const headers = signedHeaders(ID, now, BODY, secrets);
  assert.equal(
    headers["webhook-signature"],
    secrets.map((secret) => signedHeaders(ID, now, BODY, [secret])["webhook-signature"]).join(" "),
  );
  for (const secret of secrets) new Webhook(secret).verify(BODY, headers);
});

test("a secret is whsec_ and 32 random bytes in Base64", () => {
  const asked: number[] = [];
  const secret = mintSecret((size) => {
    asked.push(size);
    return Buffer.alloc(size, 0xff);
  });
  assert.deepEqual(asked, [32]);
  assert.equal(secret, `whsec_${Buffer.alloc(32, 0xff).toString("base64")}`);
  assert.notEqual(mintSecret(randomBytes), mintSecret(randomBytes));
});

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
