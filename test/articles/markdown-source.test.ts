/** Where other Markdown is delivered than the author wrote: he keeps his source, and receivers never get it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { publishArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { parseArticleJson } from "../../src/domain/articles/article-json.ts";
import { CHIEF } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import { type Team, openTeam } from "../helpers/team.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());

const SOURCE = '__One__ & `<script>`\n\n<figure>\n<img src="/a.png" alt="b" />\n</figure>\n';
const DELIVERED = "**One** & `<script>`\n\n![b](/a.png)\n";
const HTML =
  '<p><strong>One</strong> &amp; <code>&lt;script&gt;</code></p>\n<figure>\n<img src="/a.png" alt="b" />\n</figure>\n';

const page = (id: string) => team.editor.json("GET", `/articles/${id}`);

test("the author's source stays through other edits, and saving it again changes nothing", async () => {
  const { app } = team.service;
  const id = await team.newArticle({ markdown: SOURCE });
  const first = await page(id);
  assert.deepEqual(
    [first["source"], first["markdown"], record(first["article"])["content"]],
    ["markdown", SOURCE, HTML],
  );
  for (const input of [{ tags: ["new"] }, { title: "Another title" }, { markdown: SOURCE }]) {
    const { body } = await updateArticle(app, id, input, CHIEF);
    assert.deepEqual([body.markdownSource, body.markdown, body.html], [SOURCE, DELIVERED, HTML]);
  }
  const before = await page(id);
  await updateArticle(app, id, { markdown: SOURCE }, CHIEF);
  assert.deepEqual(await page(id), before);
});

test("an edit of the source that changes nothing of what is delivered is saved", async () => {
  const { app } = team.service;
  const id = await team.newArticle({ markdown: SOURCE });
  const { body } = await updateArticle(app, id, { markdown: SOURCE.replaceAll("__", "**") }, CHIEF);
  assert.deepEqual([body.markdownSource, body.markdown], [SOURCE.replaceAll("__", "**"), DELIVERED]);
  const [newest] = await team.history(id);
  assert.equal(record(newest?.["detail"])["fields"], "markdown");
});

test("receivers get the other Markdown, and an export has the source", async () => {
  const { app, website } = team.service;
  const id = await team.newArticle({ markdown: SOURCE, status: "approved" });
  await publishArticle(app, id, CHIEF);
  const lines = await Array.fromAsync(exportArticles(app, website.id));
  const line = lines.map((text) => record(JSON.parse(text))).find((one) => one["id"] === id);
  assert.deepEqual([line?.["markdown"], line?.["content"]], [SOURCE, HTML]);
  const again = await updateArticle(app, id, parseArticleJson({ content: HTML, markdown: SOURCE }), CHIEF);
  assert.deepEqual([again.body.markdownSource, again.body.markdown], [SOURCE, DELIVERED]);
  const event = (await team.service.eventsAfter(0)).find(({ data }) => data["article_id"] === id);
  assert.equal(record(event?.data["content"])["markdown"], DELIVERED);
});
