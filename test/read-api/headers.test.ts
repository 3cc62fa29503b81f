/** docs/specification.md, 4.4: headers, HEAD, compression. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { CHIEF, makeArticle, oneOfEach } from "../helpers/articles.ts";
import type { Reply } from "../helpers/http.ts";
import { rawExchange } from "../helpers/raw-http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let detail: string;
let paths: [path: string, status: number][];

before(async () => {
  service = await startTestService();
  const made = await oneOfEach(service.app, service.website.id);
  const content = `<p>${"A sentence about tea that is long enough to be worth its bytes. ".repeat(60)}</p>`;
  for (let count = 0; count < 20; count++) {
    await createArticle(service.app, service.website.id, makeArticle({ status: "published", content }), CHIEF);
  }
  detail = `${LIST}/${made.published.article.id}`;
  paths = [
    [LIST, 200],
    [`${LIST}?limit=1&sort=title`, 200],
    [`${LIST}?debug=true`, 200],
    [detail, 200],
    [`${detail}?debug=1`, 200],
    ["/api/public/events", 200],
    ["/api/public/openapi.json", 200],
    [`${LIST}?limit=0`, 400],
    [`${LIST}/${made.pending.article.id}`, 403],
    [`${LIST}/00000000-0000-4000-8000-000000000000`, 404],
    ["/api/public/nothing", 404],
  ];
});
after(() => service[Symbol.asyncDispose]());

function unpacked({ bytes, headers }: Reply): string {
  const encoding = headers["content-encoding"];
  if (encoding === "br") return brotliDecompressSync(bytes).toString();
  return (encoding === "gzip" ? gunzipSync(bytes) : bytes).toString();
}

function request(path: string, more: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\n${more}\r\n`;
}

describe("every response", () => {
  test("has the same headers each time, except for its id and date, and then the bytes of the body", async () => {
    for (const path of [LIST, detail]) {
      for (const encoding of ["", "Accept-Encoding: gzip\r\n"]) {
        const one = request(path, encoding);
        const last = request(path, `${encoding}Connection: close\r\n`);
        const answers = await rawExchange(service.url, one.repeat(5) + last, { stays: true });
        const [before, ...all] = answers.split("HTTP/1.1 200 OK\r\n");
        assert.equal(before, "");
        assert.equal(all.length, 6, path);
        const ids = all.map((text) => /^X-Request-Id: (.*)\r$/m.exec(text)?.[1]);
        assert.equal(new Set(ids).size, 6);
        const same = all.slice(0, 5).map((text) => text.replace(/^(X-Request-Id|Date): .*\r$/gm, "$1"));
        assert.equal(new Set(same).size, 1, path);
      }
    }
  });

  test("says how long its connection stays open, and closes it if the client asks for that", async () => {
    for (const path of [LIST, LIST, detail, "/api/public/nothing", "/healthz", "/docs"]) {
      const said = await rawExchange(service.url, request(path, "") + request(path, "Connection: close\r\n"), {
        stays: true,
      });
      const connections = Array.from(said.matchAll(/^(?:Connection|Keep-Alive): .*(?=\r$)/gm), ([header]) => header);
      assert.deepEqual(connections, ["Connection: keep-alive", "Keep-Alive: timeout=72", "Connection: close"], path);
    }
  });

  test("has X-Request-Id, Content-Version, Cache-Control, Vary, its length and its type, and no CORS headers", async () => {
    const ids = new Set<unknown>();
    for (const [path, status] of paths) {
      for (let turn = 0; turn < 2; turn++) {
        const reply = await service.get(path);
        assert.equal(reply.status, status, path);
        ids.add(reply.headers["x-request-id"]);
        assert.equal(reply.headers["content-version"], "v1", path);
        const isDebug = path.includes("debug");
        assert.equal(reply.headers["cache-control"], isDebug ? "no-store" : "private, no-cache", path);
        assert.equal(reply.headers.vary, "X-API-Key, Accept-Encoding", path);
        assert.equal(reply.headers["content-length"], String(reply.bytes.length), path);
        assert.equal(reply.headers["x-content-type-options"], "nosniff", path);
        assert.equal(reply.headers.etag !== undefined, status === 200 && !isDebug, path);
        assert.deepEqual(
          Object.keys(reply.headers).filter((name) => name.startsWith("access-control-") || name === "x-powered-by"),
          [],
        );
      }
    }
    assert.equal(ids.size, paths.length * 2, "an id of its own for each request");
    assert.ok(!ids.has(undefined));
  });

  test("has these headers also when it is a 401, 405 or 304", async () => {
    const etag = (await service.get(LIST)).headers.etag;
    const replies = [
      await service.get(LIST, { "X-API-Key": undefined }),
      await service.send(LIST, { method: "POST" }),
      await service.get(LIST, { "If-None-Match": etag }),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [401, 405, 304],
    );
    for (const { headers } of replies) {
      assert.ok(headers["x-request-id"]);
      assert.equal(headers["content-version"], "v1");
      assert.equal(headers["cache-control"], "private, no-cache");
      assert.equal(headers.vary, "X-API-Key, Accept-Encoding");
    }
    assert.equal(replies[2]?.headers.etag, etag);
    assert.equal(replies[2]?.bytes.length, 0);
  });
});

test("has the same headers for HEAD as for GET, and no body", async () => {
  for (const [path, status] of paths) {
    for (const encoding of [undefined, "gzip", "br"]) {
      const headers = { "Accept-Encoding": encoding };
      const head = await service.send(path, { method: "HEAD", headers });
      const get = await service.get(path, headers);
      assert.deepEqual([head.status, head.bytes.length], [status, 0], path);
      const ignoring = (found: typeof get.headers) => {
        const { date: _date, "x-request-id": _id, connection: _c, "keep-alive": _k, ...rest } = found;
        // The debug object says how long the request took.
        const { "content-length": length, ...others } = rest;
        return path.includes("debug") ? others : { ...others, length };
      };
      assert.deepEqual(ignoring(head.headers), ignoring(get.headers), `${path} ${encoding}`);
    }
  }
});

describe("compression", () => {
  const CHOICES: [accepted: string | undefined, chosen: string | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate", undefined],
    ["gzip", "gzip"],
    ["br", "br"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["*", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["gzip;q=0.5, br;q=0.5", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["*;q=0", undefined],
    ["*;q=0, gzip", "gzip"],
    ["br;q=0.000, *", "gzip"],
    [" gzip ; q=0.3 ,br ;q=0.2", "gzip"],
  ];
  for (const [accepted, chosen] of CHOICES) {
    test(`Accept-Encoding ${accepted === undefined ? "absent" : `"${accepted}"`} gets ${chosen ?? "identity"}`, async () => {
      for (const path of [LIST, "/api/public/events", detail]) {
        const plain = await service.get(path);
        const isWorthIt = plain.bytes.length >= 1_000;
        for (let turn = 0; turn < 3; turn++) {
          const reply = await service.get(path, { "Accept-Encoding": accepted });
          const encoding = reply.headers["content-encoding"];
          assert.equal(encoding, isWorthIt ? chosen : undefined, path);

          assert.equal(unpacked(reply), plain.text);
          assert.equal(reply.headers.etag, plain.headers.etag);
          if (encoding !== undefined) assert.ok(reply.bytes.length < plain.bytes.length / 2);
        }
      }
    });
  }

  test("a small body is not compressed", async () => {
    for (const path of [`${LIST}?limit=1&fields=id`, `${LIST}/x`]) {
      const reply = await service.get(path, { "Accept-Encoding": "gzip, br" });
      assert.equal(reply.headers["content-encoding"], undefined);
    }
  });

  test("many concurrent requests for one response get the same content in every encoding", async () => {
    const expected = (await service.get(`${LIST}?limit=19`)).text;
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_none, index) =>
        service.get(`${LIST}?limit=19`, { "Accept-Encoding": ["gzip", "br", "identity"][index % 3] }),
      ),
    );
    for (const reply of replies) {
      assert.equal(unpacked(reply), expected);
    }
  });
});
