/** The client and `rostrum pull` on a website whose languages have slugs of their own. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createClient, memoryStore, type Rostrum } from "../../client/src/index.ts";
import * as testing from "../../client/src/testing.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

let service: TestService;
let key: string;
let client: Rostrum;
let websiteId: string;

before(async () => {
  service = await startTestService();
  const urlPattern = "https://example.com{/lang}/{slug}";
  websiteId = (await service.newWebsite({ language: "en", urlPattern })).id;
  await updateWebsite(service.app, websiteId, { slugsPerLanguage: true }, CLI_ORIGIN);
  key = (await service.newKey({}, websiteId)).secret;
  client = createClient({ url: service.url, key });
});
after(() => service[Symbol.asyncDispose]());

async function publish(slug: string, language: string | null): Promise<string> {
  const input = makeArticle({ status: "published", slug, language });
  return (await createArticle(service.app, websiteId, input, CHIEF)).article.id;
}

const edit = (id: string, input: Parameters<typeof updateArticle>[2]) => updateArticle(service.app, id, input, CHIEF);

test("getBySlug finds the article of the language, and redirects name theirs", async () => {
  const [own, german] = [await publish("which", null), await publish("which", "de")];
  assert.equal((await client.articles.getBySlug("which"))?.id, own);
  assert.equal((await client.articles.getBySlug("which", { lang: "de" }))?.id, german);
  assert.deepEqual(await client.articles.getBySlug("which", { lang: "de", fields: ["slug"] }), { slug: "which" });
  assert.equal(await client.articles.getBySlug("which", { lang: "fr" }), null);
  await edit(german, { slug: "welcher" });
  const moved = (await Array.fromAsync(client.redirects())).find(({ from }) => from === "which");
  assert.deepEqual([moved?.language, moved?.slug], ["de", "welcher"]);
});

test("a copy of one language follows it: what joins it, leaves it, or is deleted", async () => {
  const [store, own] = [memoryStore(), memoryStore()];
  const check = async () => {
    for (const [copy, lang] of [[store, "de"] as const, [own, "en"] as const]) {
      await client.sync({ store: copy, lang });
      const expected = await Array.fromAsync(client.articles.all({ lang, fields: ["id"] }), ({ id }) => id);
      assert.deepEqual((await copy.ids()).toSorted(), expected.toSorted(), lang);
    }
  };
  await check();
  const [german, english, french] = [await publish("s", "de"), await publish("s", null), await publish("s", "fr")];
  await check();
  assert.equal((await store.getBySlug("s"))?.id, german);
  assert.equal((await own.getBySlug("s"))?.id, english);
  await edit(french, { language: "de", slug: "joins" });
  await edit(german, { language: "fr" });
  await check();
  assert.equal(await store.getBySlug("s"), null);
  assert.equal((await store.getBySlug("joins"))?.id, french);
  await deleteArticle(service.app, french, CHIEF);
  await edit(english, { title: "Another title" });
  await check();
  assert.equal((await own.getBySlug("s"))?.title, "Another title");
  // Articles without a language change theirs with the website.
  await updateWebsite(service.app, websiteId, { language: "it" }, CLI_ORIGIN);
  await check();
  assert.equal(await own.getBySlug("s"), null);
  await updateWebsite(service.app, websiteId, { language: "en" }, CLI_ORIGIN);
  await check();
});

test("pull writes each language into its own folder", async () => {
  await using folder = await tempFolder();
  const [own, german] = [await publish("pulled", null), await publish("pulled", "de")];
  for (const [lang, id, other] of [["en", own, german] as const, ["de", german, own] as const]) {
    const out = join(folder.path, lang);
    const from = ["--url", service.url, "--key-file", "-"];
    const done = await runCli(["pull", out, "--lang", lang, ...from], { cwd: folder.path, stdin: `${key}\n` });
    assert.equal(done.code, 0, done.stderr);
    assert.ok(readFileSync(join(out, "pulled.md"), "utf8").includes(id));
    assert.ok(!readdirSync(out).some((name) => readFileSync(join(out, name), "utf8").includes(other)));
  }
});

test("the client for tests knows languages, too", async () => {
  const [own, german] = [testing.makeArticle({ slug: "s" }), testing.makeArticle({ slug: "s", language: "de" })];
  const { articles } = testing.createTestClient([german, own]);
  assert.equal((await articles.getBySlug("s"))?.id, own.id);
  assert.equal((await articles.getBySlug("s", { lang: "de" }))?.id, german.id);
  assert.deepEqual((await articles.list({ lang: "de" })).pagination.total, 1);
});
