/** Whatever is sent, the answer is no 5xx, and the service lives on. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { rawExchange } from "../helpers/raw-http.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { anyCharacter } from "../helpers/any-character.ts";
import { cases, fc } from "../helpers/properties.ts";

let service: TestService;
let id: string;

before(async () => {
  service = await startTestService();
  id = (await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF)).article.id;
});
afterEach(async () => {
  assert.equal((await service.get(LIST)).status, 200, "it lives on");
  assert.deepEqual(service.log.failures, []);
});
after(() => service[Symbol.asyncDispose]());

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_none, index) => part(index)).join("&");
const keyed = () => `Host: x\r\nX-API-Key: ${service.key}\r\n`;
const request = (path: string, more = "") => `GET ${path} HTTP/1.1\r\n${keyed()}${more}\r\n`;

describe("one request", () => {
  const REQUESTS: [name: string, path: string, headers: Record<string, string>, status: number][] = [
    ["a query of 12 kB", `${LIST}?x=${"a".repeat(12_000)}`, {}, 200],
    ["a query of 100 kB", `${LIST}?x=${"a".repeat(100_000)}`, {}, 431],
    ["a key of 100 kB", LIST, { "X-API-Key": "k".repeat(100_000) }, 431],
    ["a key of 10 kB", LIST, { "X-API-Key": `rs_${"k".repeat(10_000)}` }, 401],
    ["a thousand parameters", `${LIST}?${many(1_000, (index) => `p${index}=1`)}`, {}, 200],
    ["a parameter a thousand times", `${LIST}?${many(1_000, () => "limit=1")}`, {}, 400],
    ["a parameter of no name", `${LIST}?=&=1&&&`, {}, 200],
    ["an offset of 20 digits", `${LIST}?offset=99999999999999999999`, {}, 200],
    ["an offset of 900 digits", `${LIST}?offset=${"9".repeat(900)}`, {}, 200],
    ["NUL in a value", `${LIST}?tag=%00`, {}, 400],
    ["NUL in the id", `${LIST}/%00`, {}, 400],
    ["broken percent-encoding in a value", `${LIST}?q=%E0%A4%A`, {}, 400],
    ["broken percent-encoding in a name", `${LIST}?%E0%A4%A=1`, {}, 200],
    ["broken percent-encoding in the id", `${LIST}/%E0%A4%A`, {}, 400],
    ["broken percent-encoding beside the API", "/docs/%E0%A4%A", {}, 400],
    ["a lone surrogate", `${LIST}?q=%ED%A0%80`, {}, 400],
    ["path traversal", `${LIST}/../../../etc/passwd`, {}, 404],
    ["encoded path traversal", `${LIST}/..%2f..%2fetc%2fpasswd`, {}, 400],
    ["path traversal in the documentation", "/docs/../../../../etc/passwd", {}, 404],
    ["two slashes", "//api/public/articles", {}, 404],
    ["an id in upper case", `${LIST}/UPPER`, {}, 400],
    ["a name of the prototype", `${LIST}?__proto__=1&constructor=2&toString=3`, {}, 200],
    ["a huge If-None-Match", LIST, { "If-None-Match": '"x",'.repeat(2_000) }, 200],
    ["a huge Accept-Encoding", LIST, { "Accept-Encoding": "br;q=0.1,".repeat(1_000) }, 200],
    ["a range", LIST, { Range: "bytes=0-1" }, 200],
    ["an Expect", LIST, { Expect: "nonsense" }, 417],
    ["an upgrade", LIST, { Connection: "Upgrade", Upgrade: "websocket" }, 200],
    ["other hosts", LIST, { Host: "evil.example", "X-Forwarded-Host": "evil.example" }, 200],
  ];
  for (const [name, path, headers, status] of REQUESTS) {
    test(`${name} is ${status}`, async () => {
      const reply = await service.get(path, headers);
      assert.equal(reply.status, status);
      assert.doesNotMatch(reply.text, /root:|\.ts:\d/);
    });
  }

  test("with GET and a body is answered like one without", async () => {
    const reply = await service.send(LIST, {
      body: "x".repeat(100_000),
      headers: { "Content-Type": "application/json" },
    });
    assert.equal(reply.status, 200);
  });

  test("with a large body is refused where none is expected", async () => {
    const reply = await service.send(LIST, { method: "POST", body: "x".repeat(1_000_000) });
    assert.equal(reply.status, 405);
  });

  test("has the type of its Content-Type before the parameters, however many blanks are around", async () => {
    const blanks = "\t".repeat(6_000);
    for (const [type, status] of [
      [`a${blanks}b`, 403],
      [`application/json${blanks};${blanks}x=y`, 401],
    ] as const) {
      const headers = { "Content-Type": type, "Sec-Fetch-Site": "same-origin" };
      const body = JSON.stringify({ email: "nobody@example.com", password: "none" });
      const reply = await service.send("/dashboard/api/session", { method: "POST", body, headers });
      assert.equal(reply.status, status, reply.text);
    }
  });

  test("with a malformed address is refused in a sentence that does not repeat it", async () => {
    for (const path of [
      "/dashboard/%zz",
      "/dashboard/api/articles/%zz",
      `/dashboard/api/articles/${"a".repeat(300)}`,
    ]) {
      const reply = await service.get(path);
      assert.deepEqual(Object.keys(reply.json() as object), ["error", "message"], path);
      assert.match(reply.text, /well-formed|too long/);
      assert.doesNotMatch(reply.text, /zz|aaa/);
    }
  });
  test("with an id in upper or mixed case finds the article", async () => {
    for (const one of [id.toUpperCase(), id.replace(/[a-f]/, (letter) => letter.toUpperCase())]) {
      assert.equal((await service.get(`${LIST}/${one}`)).status, 200);
    }
  });
});

describe("raw bytes", () => {
  test("a request target in absolute form is answered like its path (RFC 9112, section 3.2.2)", async () => {
    const said = await rawExchange(service.url, `GET http://x${LIST} HTTP/1.1\r\n${keyed()}Connection: close\r\n\r\n`);
    assert.match(said, /^HTTP\/1\.1 200 /);
  });

  test("a POST that announces a type, and has neither a length nor a body, is refused at once", async () => {
    const said = await rawExchange(
      service.url,
      "POST /dashboard/api/session HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n" +
        "Content-Type: application/json\r\n\r\n",
      { stays: true },
    );
    assert.match(said, /^HTTP\/1\.1 400 /);
  });

  test("requests in a pipeline are answered in order", async () => {
    const last = request(`${LIST}?limit=0`, "Connection: close\r\n");
    // Cached and uncached reads, a prepared answer and other routes.
    const list = request(LIST);
    const all =
      list + request(`${LIST}/${id}`) + list + request("/docs") + list + request("/healthz") + request("/none") + last;
    const said = await rawExchange(service.url, all, { stays: true });
    assert.deepEqual(
      Array.from(said.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => status),
      ["200", "200", "200", "200", "200", "200", "404", "400"],
    );
  });

  for (const [name, bytes] of [
    ["no HTTP", "nonsense\r\n\r\n"],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["an unknown version", "GET / HTTP/9.9\r\n\r\n"],
    ["no Host", `GET ${LIST} HTTP/1.1\r\n\r\n`],
    ["a header without a name", "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n"],
    ["a header with NUL", "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n"],
    ["a folded header", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a broken chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ["a raw byte in the target", "GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"],
    ["a header that never ends", `GET / HTTP/1.1\r\nHost: x\r\nA: ${"b".repeat(40_000)}`],
  ] as const) {
    test(`${name} is refused or cut off, and never a 5xx`, async () => {
      const said = await rawExchange(service.url, bytes);
      assert.doesNotMatch(said, /^HTTP\/1\.1 5/);
    });
  }

  test("connections that are opened and left, or cut off half-way, are no harm", async () => {
    for (let count = 0; count < 50; count++) await rawExchange(service.url, `GET ${LIST} HT`, { abort: true });
  });
});

test("no target of any characters is a 5xx", async () => {
  const part = fc.oneof(
    fc.constantFrom("limit", "offset", "status", "q", "fields", "sort", "tag", "updated_since", "debug", "slug"),
    fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.stringMatching(/^[!-~]{0,12}$/),
  );
  const query = fc.array(fc.tuple(part, part), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(part, query, async (segment, pairs) => {
      const search = pairs.map(([name, value]) => `${name}=${value}`).join("&");
      for (const path of [
        `${LIST}?${search}`,
        `${LIST}/${segment}?${search}`,
        `/api/public/events?${search}`,
        `/${segment}`,
      ]) {
        const { status, text } = await service.get(path);
        assert.ok(status < 500, `${status} ${path}`);
        if (path.startsWith("/api/")) assert.doesNotThrow(() => JSON.parse(text) as unknown);
      }
    }),
    { numRuns: cases(150) },
  );
});
