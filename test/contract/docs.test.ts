import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { startTestService, type TestService } from "../helpers/service.ts";

const VIEWER = "/docs/viewer.js";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

test("/docs and /docs/ are one page that runs only scripts of this service", async () => {
  for (const path of ["/docs", "/docs/", "/docs/management", "/docs/management/"]) {
    const { status, headers, text } = await service.get(path);
    assert.equal(status, 200);
    assert.match(String(headers["content-type"]), /^text\/html/);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/);
    const [, script = ""] = /<script>(.*)<\/script>/.exec(text) ?? [];
    assert.ok(policy.includes(`script-src 'self' 'sha256-${hash("sha256", script, "base64")}';`), policy);
    assert.doesNotMatch(text, /https?:\/\//);
  }
});

test("the viewer is one script, compressed if accepted, and a 304 if the browser has it", async () => {
  const plain = await service.get(VIEWER);
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.match(String(plain.headers["content-type"]), /^text\/javascript/);
  assert.match(plain.text, /placeholder:`Paste your key`/);
  assert.doesNotMatch(plain.text, /placeholder:`\w{30}/, "an empty field shows what looks like a key");
  const br = await service.get(VIEWER, { "Accept-Encoding": "gzip, deflate, br" });
  const gzip = await service.get(VIEWER, { "Accept-Encoding": "gzip" });
  assert.deepEqual([br.headers["content-encoding"], gzip.headers["content-encoding"]], ["br", "gzip"]);
  assert.ok(brotliDecompressSync(br.bytes).equals(plain.bytes));
  assert.ok(gunzipSync(gzip.bytes).equals(plain.bytes));
  assert.ok(br.bytes.length * 3 < plain.bytes.length);
  const again = await service.get(VIEWER, { "If-None-Match": br.headers.etag });
  assert.deepEqual([again.status, again.bytes.length], [304, 0]);
});

test("HEAD is answered for the page and the viewer", async () => {
  for (const path of ["/docs", VIEWER]) {
    const { status, bytes } = await service.send(path, { method: "HEAD" });
    assert.deepEqual([status, bytes.length], [200, 0]);
  }
});
