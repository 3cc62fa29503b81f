import assert from "node:assert/strict";
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
  for (const path of ["/docs", "/docs/"]) {
    const { status, headers, text } = await service.get(path);
    assert.equal(status, 200);
    assert.match(String(headers["content-type"]), /^text\/html/);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/);
    const nonce = /script-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1];
    assert.ok(nonce !== undefined && text.includes(`<script nonce="${nonce}">`));
    assert.doesNotMatch(text, /https?:\/\//);
  }
});

test("no two pages have the same nonce", async () => {
  const pages = [await service.get("/docs"), await service.get("/docs")];
  assert.notEqual(pages[0]?.headers["content-security-policy"], pages[1]?.headers["content-security-policy"]);
});

test("the viewer is one script, compressed where that is accepted, and a 304 for those who have it", async () => {
  const plain = await service.get(VIEWER);
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.match(String(plain.headers["content-type"]), /^text\/javascript/);
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
