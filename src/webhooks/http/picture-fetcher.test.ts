import assert from "node:assert/strict";
import { test } from "node:test";
import { startPlainServer } from "../../../test/helpers/plain-server.ts";
import { AddressGuard, parseCidrs } from "../net/ssrf-guard.ts";
import { PictureFetcher } from "./picture-fetcher.ts";

const guard = (cidrs: string) => new AddressGuard({ allowHttp: true, allowCidrs: parseCidrs(cidrs) ?? [] });
const PNG = Buffer.from("not really a picture");

test("a picture is fetched once, without cookies or referrer, and other files are not shown", async () => {
  await using host = await startPlainServer(({ url, headers }, response) => {
    assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined]);
    if (url === "/moved.png") response.writeHead(302, { Location: "/a.png" }).end();
    else if (url === "/loop.png") response.writeHead(302, { Location: "/loop.png" }).end();
    else if (url === "/page") response.writeHead(200, { "Content-Type": "text/html" }).end("<script>");
    else if (url === "/large.png") response.writeHead(200, { "Content-Type": "image/png" }).end("x".repeat(2_000));
    else if (url === "/a.png") response.writeHead(200, { "Content-Type": "image/png; charset=x" }).end(PNG);
    else response.writeHead(404).end();
  });
  using fetcher = new PictureFetcher(guard("127.0.0.1/32"), { maxBytes: 1_000 });
  const [one, other] = await Promise.all([
    fetcher.fetch("website", `${host.url}/a.png`),
    fetcher.fetch("website", `${host.url}/a.png`),
  ]);
  assert.deepEqual(
    [one, other],
    [
      { type: "image/png", bytes: PNG },
      { type: "image/png", bytes: PNG },
    ],
  );
  await fetcher.fetch("website", `${host.url}/a.png`);
  assert.deepEqual(host.asked, ["GET /a.png"]);
  assert.deepEqual(await fetcher.fetch("website", `${host.url}/moved.png#x`), { type: "image/png", bytes: PNG });
  for (const path of ["/loop.png", "/page", "/large.png", "/missing.png"]) {
    assert.equal(await fetcher.fetch("website", `${host.url}${path}`), "failed", path);
  }
  const many = await Promise.all(
    Array.from({ length: 50 }, (_, no) => fetcher.fetch("website", `${host.url}/a.png?${no % 25}`)),
  );
  assert.equal(
    many.every((picture) => picture === "failed"),
    true,
    "other addresses were answered with 404",
  );
});

test("no address is called that webhooks may not call, not even behind a redirect", async () => {
  await using inner = await startPlainServer((_request, response) => void response.end("secret"));
  await using host = await startPlainServer((_request, response) => {
    response.writeHead(302, { Location: `${inner.url.replace("127.0.0.1", "127.0.0.2")}/` }).end();
  });
  using open = new PictureFetcher(guard("127.0.0.1/32"));
  using closed = new PictureFetcher(guard(""));
  assert.equal(await open.fetch("website", `${host.url}/a.png`), "blocked");
  assert.equal(await closed.fetch("website", `${host.url}/b.png`), "blocked");
  assert.equal(await open.fetch("website", "http://169.254.169.254/x"), "blocked");
  for (const url of ["file:///etc/passwd", "https://user:pw@example.com/", "not a url", ""]) {
    assert.equal(await open.fetch("website", url), "failed", url);
  }
  assert.deepEqual([host.asked, inner.asked], [["GET /a.png"], []]);
});

test("pictures of one website that never arrive leave room for those of others", async () => {
  const held = Promise.withResolvers<void>();
  await using host = await startPlainServer(({ url }, response) => {
    if (url?.startsWith("/slow") === true) {
      void held.promise.then(() => response.end());
      return;
    }
    response.writeHead(200, { "Content-Type": "image/png" }).end(PNG);
  });
  using fetcher = new PictureFetcher(guard("127.0.0.1/32"), { maxBytes: 1_000 });
  const slow = Array.from({ length: 150 }, (_none, no) => fetcher.fetch("slow", `${host.url}/slow${no}`));
  assert.deepEqual(await fetcher.fetch("other", `${host.url}/a.png`), { type: "image/png", bytes: PNG });
  held.resolve();
  await Promise.all(slow);
});

test("a picture that nobody can fetch is told at the same time, whether the port is closed, the address refused or the host silent", async () => {
  await using silent = await startPlainServer(() => undefined);
  await using redirecting = await startPlainServer((_request, response) => {
    response.writeHead(302, { Location: "http://127.0.0.2/a.png" }).end();
  });
  const closed = await startPlainServer(() => undefined);
  await closed[Symbol.asyncDispose]();
  const failAfterMs = 300;
  using fetcher = new PictureFetcher(guard("127.0.0.1/32"), { failAfterMs });
  for (const host of [closed.url, "http://127.0.0.2", "http://no-host.invalid", silent.url, redirecting.url]) {
    const start = performance.now();
    assert.equal(typeof (await fetcher.fetch("website", `${host}/a.png`)), "string", host);
    assert.ok(performance.now() - start >= failAfterMs - 1, host);
  }
});

test("a website learns nothing of the pictures that another has fetched", async () => {
  await using host = await startPlainServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "image/png" }).end(PNG);
  });
  using fetcher = new PictureFetcher(guard("127.0.0.1/32"));
  for (const website of ["one", "other", "one"]) await fetcher.fetch(website, `${host.url}/a.png`);
  assert.deepEqual(host.asked, ["GET /a.png", "GET /a.png"]);
});
