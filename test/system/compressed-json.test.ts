/** The dashboard's API compresses what is worth it, for those who accept it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { API, type Browser, type People, people } from "../people/dashboard.ts";

let service: TestService;
let all: People;
let owner: Browser;

before(async () => {
  service = await startTestService();
  all = people(service);
  owner = await all.owner();
  for (let number = 0; number < 5; number++) {
    await createArticle(service.app, service.website.id, makeArticle({ title: `Article ${number}` }), CHIEF);
  }
});
after(async () => {
  all[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function list(encoding: string, path = `/articles?view=pending&website_id=${service.website.id}`) {
  // fetch would decompress.
  const { request } = await import("node:http");
  return new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    const headers = { Cookie: owner.cookie, "Sec-Fetch-Site": "same-origin", "Accept-Encoding": encoding };
    const asked = request(`${service.url}${API}${path}`, { headers, agent: false }, (response) => {
      assert.equal(response.statusCode, 200);
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => resolve({ encoding: response.headers["content-encoding"], body: Buffer.concat(parts) }));
    });
    asked.on("error", reject).end();
  });
}

test("a list is the same, compressed or not", async () => {
  const [plain, br, gzip] = [await list("identity"), await list("gzip, deflate, br"), await list("gzip")];
  assert.deepEqual([plain.encoding, br.encoding, gzip.encoding], [undefined, "br", "gzip"]);
  assert.equal(brotliDecompressSync(br.body).toString(), plain.body.toString());
  assert.equal(gunzipSync(gzip.body).toString(), plain.body.toString());
  assert.ok(br.body.length < plain.body.length / 2);
});

test("short responses stay uncompressed, and so do exports", async () => {
  const counts = await list("br", `/articles/counts?website_id=${service.website.id}`);
  assert.equal(counts.encoding, undefined);
  const exported = await list("br", `/exports?website_id=${service.website.id}`);
  assert.equal(exported.encoding, undefined);
});
