import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCertificate, checkCoalesce, checkHeaders, parseEventKinds } from "./endpoint-input.ts";
import { EVENT_KINDS } from "./event.ts";

const refusal = (field: string) => ({ name: "AppError", code: "invalid", field });

test("without kinds an endpoint gets all of them; named ones are in the specification's order, once", () => {
  assert.deepEqual(parseEventKinds(undefined), [...EVENT_KINDS]);
  assert.deepEqual(parseEventKinds(["article.deleted", "article.published", "article.deleted"]), [
    "article.published",
    "article.deleted",
  ]);
});

test("an unknown kind is refused and named, and an empty list is refused", () => {
  for (const names of [["article.exploded"], ["article.published", ""], ["Article.Published"], []]) {
    assert.throws(() => parseEventKinds(names), refusal("events"), names.join());
  }
  assert.throws(() => parseEventKinds(["article.exploded"]), /There is no event "article\.exploded"/);
});

test("an endpoint's own headers may have any visible value", () => {
  checkHeaders({});
  checkHeaders({ Authorization: "Bearer x.y-z==", "x-tenant": "7", "X-Empty": "", "X-Tab": "a\tb", "X-Latin": "café" });
});

for (const name of [
  "Host",
  "content-type",
  "Content-Length",
  "CONTENT-ENCODING",
  "Connection",
  "Keep-Alive",
  "Transfer-Encoding",
  "TE",
  "Trailer",
  "Upgrade",
  "Expect",
  "User-Agent",
  "traceparent",
  "webhook-id",
  "Webhook-Signature",
  "webhook-anything",
  "Proxy-Authorization",
]) {
  test(`the header ${name} cannot be overridden`, () => {
    assert.throws(() => checkHeaders({ [name]: "x" }), refusal("headers"));
  });
}

test("a header name that is no token is refused", () => {
  for (const name of ["", "a b", "a:b", "a\r\nb", "naïve", "a\0", "(a)", "x".repeat(101)]) {
    assert.throws(() => checkHeaders({ [name]: "x" }), refusal("headers"), JSON.stringify(name));
  }
});

test("a header value that could end the header, or is invalid, is refused", () => {
  for (const value of ["a\r\nX-Evil: b", "a\nb", "a\rb", "a\0b", "茶", "\u007f", "x".repeat(4_097)]) {
    assert.throws(() => checkHeaders({ "X-A": value }), refusal("headers"), JSON.stringify(value).slice(0, 40));
  }
  checkHeaders({ "X-A": "x".repeat(4_096) });
});

test("names that differ only in case are duplicates", () => {
  assert.throws(() => checkHeaders({ "X-A": "1", "x-a": "2" }), /given twice/);
});

test("more than 20 headers are refused", () => {
  const most = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`X-${index}`, "x"]));
  checkHeaders(most);
  assert.throws(() => checkHeaders({ ...most, "X-More": "x" }), refusal("headers"));
});

test("no error repeats a header's value, which may be a secret", () => {
  assert.throws(
    () => checkHeaders({ Authorization: "Bearer hush\n" }),
    (error) => error instanceof Error && !error.message.includes("hush"),
  );
});

test("coalescing takes whole milliseconds up to an hour", () => {
  for (const ms of [0, 1, 3_600_000]) checkCoalesce(ms);
  for (const ms of [-1, 0.5, 3_600_001, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => checkCoalesce(ms), refusal("coalesce_ms"), String(ms));
  }
});

test("a certificate authority must be a certificate in PEM", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n";
  for (const pem of ["", "x", key, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]) {
    assert.throws(() => checkCertificate(pem), refusal("ca"), pem.slice(0, 30));
  }
});
