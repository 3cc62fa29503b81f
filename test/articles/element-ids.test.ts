/** Names that an article gives to its elements never meet those of the page around it (docs/content.md). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { readImport } from "../../src/importers/import-source.ts";
import { createArticle, getArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { tempFolder } from "../helpers/folder.ts";
import { writeFile } from "node:fs/promises";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

const WRITTEN = '<h2 id="cookie">A</h2>\n<p><a href="#cookie">b</a> <a href="#elsewhere">c</a></p>';
const SAVED =
  '<h2 id="user-content-cookie">A</h2>\n<p><a href="#user-content-cookie">b</a> <a href="#elsewhere">c</a></p>';

const exported = async (websiteId: string) => (await Array.fromAsync(exportArticles(service.app, websiteId))).join("");

test("element ids are prefixed once, when an article is saved, and come back from an export byte for byte", async () => {
  const { app, website } = service;
  const { article, body } = await createArticle(app, website.id, makeArticle({ content: WRITTEN }), CHIEF);
  assert.equal(body.html, SAVED);
  await updateArticle(app, article.id, { content: SAVED, tags: ["x"] }, CHIEF);
  assert.equal((await getArticle(app, article.id)).body.html, SAVED);
  const first = await exported(website.id);
  await using folder = await tempFolder();
  await writeFile(folder.at("all.ndjson"), first.replaceAll(article.id, "0190a0b0-0000-7000-8000-000000000001"));
  const other = await service.newWebsite({ name: "Other" });
  const items = readImport(folder.at("all.ndjson"), { format: "auto", websiteUrl: null, clock: app.clock });
  const options = { events: false, dryRun: false, actor: CHIEF };
  assert.equal((await importArticles(app, other.id, items, options)).created, 1);
  assert.equal(await exported(other.id), first.replaceAll(article.id, "0190a0b0-0000-7000-8000-000000000001"));
});

test("an article that was derived by other rules keeps what was derived until it is saved again", async () => {
  const { app, website } = service;
  const { id } = (await createArticle(app, website.id, makeArticle({ status: "published" }), CHIEF)).article;
  await app.store.write((db) =>
    db.run(
      `UPDATE article_bodies SET html = ?, metrics = replace(metrics, '"engine_version":"', '"engine_version":"0.')
       WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)`,
      WRITTEN,
      id,
    ),
  );
  assert.equal((await service.detail(id))["content"], WRITTEN);
  const sequence = await service.lastSequence();
  await updateArticle(app, id, { tags: ["x"] }, CHIEF);
  assert.equal((await service.detail(id))["content"], SAVED);
  const [event] = await service.eventsAfter(sequence);
  assert.deepEqual(event?.data["updated_fields"], ["tags", "content"]);
});
