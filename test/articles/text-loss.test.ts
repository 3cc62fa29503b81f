/** No text is lost in silence: what a source closes is closed, and what loses much of its text is refused unless told so. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { readImport } from "../../src/importers/import-source.ts";
import {
  createArticle,
  getArticle,
  publishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { type Team, articlePage, openTeam, assertRefused } from "../helpers/team.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());

const REST = "Oolong stands between green and black tea, and is made from the same leaves. ".repeat(10);
/** A browser shows nothing of it either; its author meant something else. */
const LOSSY = `<p>Before it.</p><iframe src="https://www.youtube.com/embed/x"><p>${REST}</p></iframe>`;
const REFUSAL = /^99 % of the text would be lost \(\d+ of \d+ characters\), first after “Before it\.”: “Oolong stands/;
const isRefusal = { code: "invalid", field: "accept_loss", message: REFUSAL };

const create = (input: ArticleInput, options = {}) =>
  createArticle(team.service.app, team.service.website.id, makeArticle(input), CHIEF, options);

/** One that loses text, and one that does not. */
async function* both(): AsyncGenerator<ImportItem> {
  for (const [source, content] of [
    ["Lossy", LOSSY],
    ["Honest", `<p>${REST}</p>`],
  ] as const) {
    yield { kind: "draft", source, ref: `loss:${source}`, input: { title: source, status: "published", content } };
  }
}

function importBoth(acceptLoss: boolean) {
  const options = { events: false, dryRun: false, actor: CHIEF, acceptLoss };
  return importArticles(team.service.app, team.service.website.id, both(), options);
}

test("the text after a frame that closes itself is kept, in HTML and in Markdown", async () => {
  const frame = '<iframe src="https://www.youtube.com/embed/x" />';
  const html = await create({ content: `<p>A</p>\n${frame}\n<p>B</p>` });
  assert.equal(html.body.html, '<p>A</p>\n<iframe src="https://www.youtube.com/embed/x"></iframe>\n<p>B</p>');
  const markdown = await create({ markdown: `A\n\n${frame}\n\nB` });
  assert.equal(markdown.body.text, "A\n\nB");
});

describe("an article that would lose more than a tenth of its text", () => {
  test("is refused, unless the loss is accepted", async () => {
    await assert.rejects(create({ content: LOSSY }), isRefusal);
    const { article } = await create({ content: LOSSY }, { acceptLoss: true });
    const { app } = team.service;
    await assert.rejects(updateArticle(app, article.id, { markdown: LOSSY }, CHIEF), isRefusal);
    const edited = await updateArticle(app, article.id, { markdown: LOSSY }, CHIEF, undefined, { acceptLoss: true });
    assert.equal(edited.body.text, "Before it.");
  });

  test("needs no further acceptance once the loss was accepted: not for other edits, nor for publishing the draft copy", async () => {
    const { app } = team.service;
    const { id } = (await create({ status: "approved" })).article;
    await publishArticle(app, id, CHIEF);
    await assert.rejects(saveDraftCopy(app, id, { markdown: LOSSY }, CHIEF), isRefusal);
    await saveDraftCopy(app, id, { markdown: LOSSY }, CHIEF, undefined, { acceptLoss: true });
    await saveDraftCopy(app, id, { tags: ["new"] }, CHIEF);
    await applyDraftCopy(app, id, CHIEF);
    await updateArticle(app, id, { tags: ["newer"] }, CHIEF);
    const { article, body } = await getArticle(app, id);
    assert.deepEqual([article.tags, body.text], [["newer"], "Before it."]);
  });

  test("is pending in an import with the reason, until its loss is accepted", async () => {
    const first = await importBoth(false);
    assert.deepEqual([first.created, first.hidden.map(({ source }) => source)], [2, ["Lossy"]]);
    assert.match(first.hidden[0]?.reason ?? "", /^Words lost: 140 of 142 words: “Oolong stands between/);
    // The texts are too short to be articles, which is told besides.
    assert.deepEqual(
      first.warnings.flatMap(({ source, kind }) => (kind === "finding_blocks" ? [] : [[source, kind]])),
      [["Lossy", "words_lost"]],
    );
    const again = await importBoth(false);
    assert.deepEqual([again.unchanged, again.hidden], [2, []]);
    const accepted = await importBoth(true);
    assert.deepEqual([accepted.updated, accepted.unchanged, accepted.hidden], [1, 1, []]);
  });

  test("is shown by the preview, refused by the dashboard's API, and taken with accept_loss", async () => {
    const website_id = team.service.website.id;
    const preview = await team.editor.json("POST", "/articles/preview", {
      website_id,
      changes: { title: "T", content: LOSSY },
    });
    assert.equal(record(preview["loss"])["after"], "Before it.");
    const body = { website_id, title: "Lossy", content: LOSSY };
    const refusal = await assertRefused(team.editor, "POST", "/articles", body, 400);
    assert.equal(refusal.param, "accept_loss");
    assert.match(refusal.message, REFUSAL);
    const made = articlePage(await team.editor.json("POST", "/articles", { ...body, accept_loss: true }, 201));
    const path = `/articles/${String(made.article["id"])}`;
    const edit = { version: made.version, draft_saved_at: null, changes: { markdown: LOSSY } };
    assert.equal((await assertRefused(team.editor, "PATCH", path, edit, 400)).param, "accept_loss");
    await team.editor.json("PATCH", path, { ...edit, accept_loss: true });
  });

  test("is refused when a revision from before the rules changed is restored, and restored with accept_loss", async () => {
    const { app } = team.service;
    for (const status of ["pending", "published"] as const) {
      const { id } = (await create({ markdown: `Before it.\n\n${REST}`, status })).article;
      await updateArticle(app, id, { markdown: "Now." }, CHIEF);
      await app.store.write((db) =>
        db.run(
          "UPDATE revision_texts SET html = ? WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)",
          LOSSY,
          id,
        ),
      );
      const { version, savedAt: draft_saved_at } = await team.page(id);
      const body = { version, draft_saved_at };
      const [, created] = await team.history(id);
      const path = `/articles/${id}/revisions/${String(created?.["revision"])}/restore`;
      const refusal = await assertRefused(team.editor, "POST", path, body, 400);
      assert.equal(refusal.param, "accept_loss");
      assert.match(refusal.message, REFUSAL);
      const { article, draft } = await team.editor.json("POST", path, { ...body, accept_loss: true });
      const restored = status === "published" ? record(record(draft)["changes"]) : record(article);
      assert.match(String(restored["content"]), /^<p>Before it\.<\/p><iframe [^>]*><\/iframe>$/);
    }
  });
});

const CORPORA = join(import.meta.dirname, "../../../shared/corpora");
const skip = existsSync(CORPORA) ? false : "the corpora of real articles are not beside this repository";

for (const [folder, articles, failed] of [
  ["rust-blog", 732, 0],
  ["v8-blog", 154, 0],
  // Three have no content at all, and are broken on purpose; two are in two exports of one site.
  ["exports", 63, 3],
] as const) {
  test(`every article of ${folder} is accepted, and none loses text`, { skip }, async () => {
    const { app } = team.service;
    const items = readImport(join(CORPORA, folder), { format: "auto", websiteUrl: null, clock: app.clock });
    const options = { events: false, dryRun: true, actor: CHIEF };
    const summary = await importArticles(app, team.service.website.id, items, options);
    assert.deepEqual([summary.created, summary.failed.length], [articles, failed]);
    for (const { reason } of summary.failed) assert.match(reason, /The article has no content/);
  });
}
