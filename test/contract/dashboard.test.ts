/** What is served at /dashboard, of a small set of screens in a folder of its own. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fastify, { type FastifyInstance } from "fastify";
import { dashboardRoutes } from "../../src/http/pages/dashboard.ts";
import { setFastifyDefaults } from "../../src/http/pages/fastify-server.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { assertRefusal, Client } from "../helpers/http.ts";

const SCRIPT = "/dashboard/assets/index-abc.js";
const CODE = `console.log("${"screens ".repeat(400)}");`;
/** An address of a page: its last part has no ending. */
const DOTS = `/dashboard/${".x".repeat(6_000)}/articles`;
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg"/>';

let folder: Folder;
let app: FastifyInstance;
let client: Client;

before(async () => {
  folder = await tempFolder();
  const html = '<!doctype html><meta name="csp-nonce" content="" /><script type="module" src="/x.js"></script></head>';
  await mkdir(folder.at("assets"));
  await Promise.all(
    Object.entries({
      "index.html": html,
      ".inputs": "abc",
      ".pages": JSON.stringify({
        articles: ["assets/list.js"],
        "articles/new": ["assets/new.js"],
        "articles/*": ["assets/one.js", "assets/one.css"],
        "articles/*/edit": ["assets/edit.js"],
      }),
      "favicon.svg": LOGO,
      "assets/index-abc.js": CODE,
      "assets/index-abc.js.br": brotliCompressSync(CODE),
      "assets/index-abc.js.gz": gzipSync(CODE),
    }).map(([name, content]) => writeFile(folder.at(name), content)),
  );
  app = await served(folder.path);
  client = new Client(await app.listen({ host: "127.0.0.1", port: 0 }));
});

after(async () => {
  client[Symbol.dispose]();
  await app.close();
  await folder[Symbol.asyncDispose]();
});

async function served(path: string): Promise<FastifyInstance> {
  const server = fastify();
  setFastifyDefaults(server, { isVerbose: false, finished: () => undefined, failed: () => undefined }, null);
  dashboardRoutes(server, { randomBytes, folder: path });
  return server;
}

async function linksOf(path: string): Promise<string[]> {
  const { text } = await client.send(path);
  return Array.from(text.matchAll(/<link[^>]+>/g), String);
}

test("a page names the files that it alone needs, so that they are not waited for one after the other", async () => {
  assert.deepEqual(await linksOf("/dashboard/articles?view=approved"), [
    '<link rel="modulepreload" crossorigin href="/dashboard/assets/list.js">',
  ]);
  assert.deepEqual(await linksOf("/dashboard/articles/0198"), [
    '<link rel="modulepreload" crossorigin href="/dashboard/assets/one.js">',
    '<link rel="stylesheet" crossorigin href="/dashboard/assets/one.css">',
  ]);
  for (const [path, file] of [
    ["/dashboard/articles/new", "new.js"],
    ["/dashboard/articles/0198/edit", "edit.js"],
  ] as const) {
    assert.deepEqual(await linksOf(path), [`<link rel="modulepreload" crossorigin href="/dashboard/assets/${file}">`]);
  }
  assert.deepEqual(await linksOf("/dashboard/settings/account"), []);
});

test("every path of the dashboard serves the page, and / redirects there", async () => {
  const page = (await client.send("/dashboard")).text.replace(/content="[^"]+"/, "");
  for (const path of [
    "/dashboard/",
    "/dashboard?x=1",
    "/dashboard/settings/webhooks/0198",
    "/dashboard/settings/api-keys",
    DOTS,
  ]) {
    const { status, headers, text } = await client.send(path);
    assert.equal(status, 200, path);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-cache");
    assert.equal(text.replace(/content="[^"]+"/, ""), page);
  }
  const { status, headers } = await client.send("/");
  assert.deepEqual([status, headers.location], [302, "/dashboard"]);
});

test("the page runs scripts of this service alone, and its nonce for styles is good for one answer", async () => {
  const nonces = new Set<string>();
  for (const _ of [1, 2]) {
    const { headers, text } = await client.send("/dashboard");
    const policy = String(headers["content-security-policy"]);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]) {
      assert.ok(policy.split("; ").includes(part), part);
    }
    assert.doesNotMatch(policy, /unsafe/);
    const nonce = /style-src 'self' 'nonce-([\w+/=]{24})'/.exec(policy)?.[1];
    assert.ok(nonce !== undefined && text.includes(`<meta name="csp-nonce" content="${nonce}"`), policy);
    nonces.add(nonce);
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["x-frame-options"], "DENY");
    assert.match(String(headers["permissions-policy"]), /camera=\(\)/);
  }
  assert.equal(nonces.size, 2);
});

test("a file whose name changes with its content is kept for a year, compressed where that is accepted", async () => {
  for (const [accepted, encoding, bytes] of [
    ["gzip, deflate, br", "br", brotliCompressSync(CODE)],
    ["gzip", "gzip", gzipSync(CODE)],
    ["br;q=0, gzip;q=0", undefined, Buffer.from(CODE)],
    [undefined, undefined, Buffer.from(CODE)],
  ] as const) {
    const reply = await client.send(SCRIPT, { headers: { "Accept-Encoding": accepted } });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers["content-encoding"], encoding);
    assert.deepEqual(reply.bytes, bytes);
    assert.equal(reply.headers["content-type"], "text/javascript; charset=utf-8");
    assert.equal(reply.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    assert.equal(reply.headers.vary, "Accept-Encoding");
  }
});

test("a file that the browser has is a 304, and one with a fixed name is revalidated each time", async () => {
  const { headers, text } = await client.send("/dashboard/favicon.svg");
  assert.deepEqual([headers["content-type"], headers["cache-control"], text], ["image/svg+xml", "no-cache", LOGO]);
  for (const path of [SCRIPT, "/dashboard/favicon.svg"]) {
    const { etag } = (await client.send(path)).headers;
    const again = await client.send(path, { headers: { "If-None-Match": etag } });
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
  }
});

test("a frame without an origin, as articles are shown in, can have a style sheet from here", async () => {
  const { headers } = await client.send(SCRIPT);
  assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
  assert.equal((await client.send("/dashboard")).headers["cross-origin-resource-policy"], "same-origin");
});

test("HEAD is answered for the page and its files", async () => {
  for (const path of ["/dashboard", SCRIPT]) {
    const { status, bytes } = await client.send(path, { method: "HEAD" });
    assert.deepEqual([status, bytes.length], [200, 0]);
  }
});

test("only files of the built dashboard are served", async () => {
  const nothing = { error: "Not Found", message: "There is nothing here; the documentation is at /docs." };
  for (const path of [
    "/dashboard/assets/old.js",
    "/dashboard/assets/index-abc.js.br",
    "/dashboard/.inputs",
    "/dashboard/../package.json",
    "/dashboard/..%2f..%2fpackage.json",
    "/dashboard/assets/..%2f..%2f..%2f..%2fpackage.json",
    "/dashboard/%2e%2e/%2e%2e/package.json",
    "/dashboard/index.html",
    "/dashboard/api",
  ]) {
    assertRefusal(await client.send(path), 404, nothing);
  }
});

test("without a built dashboard the page says how to build it, / leads to the documentation, and no restart is needed", async () => {
  await using empty = await tempFolder();
  const bare = await served(empty.path);
  const page = await bare.inject("/dashboard/articles");
  assert.equal(page.statusCode, 503);
  assert.equal(page.headers["content-type"], "text/plain; charset=utf-8");
  assert.match(page.body, /npm run build/);
  assert.equal((await bare.inject("/")).headers.location, "/docs");
  assert.equal((await bare.inject(SCRIPT)).statusCode, 404);
  await writeFile(empty.at("index.html"), '<meta name="csp-nonce" content="" />');
  assert.equal((await bare.inject("/dashboard")).statusCode, 200);
  await bare.close();
});
