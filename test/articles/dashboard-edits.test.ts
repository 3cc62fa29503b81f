/** What is written by hand: new articles, edits, draft copies and previews; and what of it is let in. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { updateArticle } from "../../src/operations/articles/write/articles.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { CHIEF, fullArticle, WRITER } from "../helpers/articles.ts";
import { type Json, record } from "../helpers/http.ts";
import { type Team, type ArticlePage, articlePage, openTeam, assertRefused, statuses } from "../helpers/team.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
afterEach(() => team.assertNoneFailed());

const edit = async (browser: Team["owner"], id: string, seen: ArticlePage, changes: Json, more: Json = {}) =>
  articlePage(
    await browser.json("PATCH", `/articles/${id}`, {
      version: seen.version,
      draft_saved_at: seen.savedAt,
      changes,
      ...more,
    }),
  );

describe("a new article", () => {
  test("is made by an editor, pending, in Markdown unless it is given as HTML", async () => {
    const website_id = team.service.website.id;
    const make = async (article: Json) =>
      articlePage(await team.editor.json("POST", "/articles", { website_id, ...article }, 201));
    const begun = await make({ title: "  Begun  " });
    assert.deepEqual([begun.article["title"], begun.article["content"], begun.status], ["Begun", "", "pending"]);
    assert.deepEqual([begun.all["source"], begun.all["markdown"]], ["markdown", ""]);
    const html = await make({ title: "HTML", content: "<p>Hello <script>alert(1)</script>you</p>" });
    assert.deepEqual([html.article["content"], html.all["source"]], ["<p>Hello you</p>", "html"]);
    assert.deepEqual(await team.actions(String(html.article["id"])), ["article.created"]);
  });

  test("is refused with the name of the invalid field", async () => {
    const website_id = team.service.website.id;
    const post = (article: Json, status: number) =>
      assertRefused(team.editor, "POST", "/articles", { website_id, ...article }, status);
    assert.equal((await post({ title: " " }, 400)).param, "title");
    assert.equal((await post({ title: "a\0b" }, 400)).param, "title");
    assert.equal((await post({ title: "x".repeat(1_001) }, 400)).param, "title");
    assert.equal((await post({ title: "x", content: "<p>x</p>", markdown: "x" }, 400)).param, "markdown");
    assert.equal((await post({ title: "x", markdown: "a\0b" }, 400)).param, "markdown");
    assert.equal((await post({ title: "x", content: "x".repeat(10 * 1024 * 1024 + 1) }, 400)).param, "content");
    await post({ title: "x", content: "x".repeat(16 * 1024 * 1024) }, 413);
    await post({ title: "x", status: "published" }, 400);
  });
});

describe("an edit", () => {
  test("of a pending article changes what it names, and the audit log says so", async () => {
    const id = await team.newArticle(fullArticle({ status: "pending" }));
    const before = await team.page(id);
    const changes = {
      title: "New",
      slug: "new-slug",
      excerpt: null,
      meta_description: "Described.",
      target_keyword: null,
      seo_keywords: ["one", "two"],
      categories: [],
      tags: ["t"],
      featured_image_url: null,
      featured_image_alt: null,
      platform_url: "https://example.com/new",
      platform_post_id: "9",
    };
    const after = await edit(team.editor, id, before, changes);
    const { excerpt: _, ...others } = changes;
    for (const [name, value] of Object.entries(others)) assert.deepEqual(after.article[name], value, name);
    assert.equal(after.all["author_excerpt"], null);
    assert.ok(after.version > before.version);
    const [newest] = await team.history(id);
    assert.equal(newest?.["action"], "article.edited");
    const fields = String(record(newest?.["detail"])["fields"]).split(", ");
    assert.deepEqual(fields.toSorted(), Object.keys(changes).toSorted());
  });

  test("of an approved article withdraws its approval, unless the editor may approve", async () => {
    const id = await team.newArticle({ status: "approved" });
    const kept = await edit(team.approver, id, await team.page(id), { title: "By the approver" });
    assert.deepEqual([kept.status, kept.all["approval"]], ["approved", { is_current: true }]);
    const back = await edit(team.editor, id, kept, { title: "By the editor" });
    assert.deepEqual([back.status, back.all["approval"]], ["pending", { is_current: false }]);
    const [newest] = await team.history(id);
    assert.deepEqual(newest?.["detail"], { title: "By the editor", fields: "title", status: "pending" });
  });

  test("that changes nothing is not saved and makes no revision", async () => {
    const id = await team.newArticle(fullArticle({ status: "pending", markdown: "Some *text*.\n" }));
    const before = await team.page(id);
    const { article } = before;
    for (const changes of [
      { title: article["title"] },
      { content: article["content"] },
      { markdown: "Some *text*.\n" },
      {
        slug: article["slug"],
        tags: article["tags"],
        excerpt: before.all["author_excerpt"],
        content: article["content"],
      },
    ]) {
      assert.deepEqual((await edit(team.owner, id, before, changes)).all, before.all);
    }
    assert.deepEqual(await team.actions(id), ["article.created"]);
    assert.equal(await team.rows("revisions", id), 0);
  });

  test("in Markdown keeps the Markdown as the source; an edit in HTML replaces it", async () => {
    const id = await team.newArticle({ status: "pending", content: "<p>As <b>HTML</b>.</p>" });
    const markdown = await edit(team.editor, id, await team.page(id), { markdown: "As  *Markdown*\n" });
    assert.deepEqual([markdown.all["source"], markdown.all["markdown"]], ["markdown", "As  *Markdown*\n"]);
    assert.equal(markdown.article["content"], "<p>As  <em>Markdown</em></p>\n");
    const html = await edit(team.editor, id, markdown, { content: "<p>As <i>HTML</i> again.</p>" });
    assert.deepEqual([html.all["source"], html.all["markdown"]], ["html", "As *HTML* again.\n"]);
    assert.equal(html.article["content"], "<p>As <i>HTML</i> again.</p>");
  });

  test("is refused with the name of the invalid field, and changes nothing", async () => {
    const id = await team.newArticle({ status: "pending" });
    const { version, all } = await team.page(id);
    const patch = async (changes: Json, status = 400) =>
      (await assertRefused(team.editor, "PATCH", `/articles/${id}`, { version, changes }, status)).param;
    assert.equal(await patch({ title: "" }), "title");
    assert.equal(await patch({ title: "a\0b" }), "title");
    assert.equal(await patch({ slug: "x".repeat(501) }), "slug");
    assert.equal(await patch({ meta_description: "x".repeat(10_001) }), "meta_description");
    assert.equal(await patch({ featured_image_url: "javascript:alert(1)" }), "featured_image_url");
    assert.equal(await patch({ platform_url: "//example.com" }), "platform_url");
    assert.equal(await patch({ tags: ["x".repeat(501)] }), "tags");
    assert.equal(await patch({ content: "<p>x</p>", markdown: "x" }), "markdown");
    assert.equal(await patch({ content: "<div>".repeat(5_000) }), "content");
    assert.equal(await patch({ published_at: "2026-01-01T00:00:00.000Z" }), "published_at");
    await patch({});
    await patch({ status: "published" });
    await patch({ title: 7 });
    assert.deepEqual((await team.page(id)).all, all);
  });

  test("that began before another person's edit is refused, and neither is lost", async () => {
    const id = await team.newArticle({ status: "pending" });
    const seen = await team.page(id);
    const theirs = await edit(team.approver, id, seen, { title: "Theirs" });
    const body = { version: seen.version, changes: { tags: ["mine"] } };
    const { message } = await assertRefused(team.editor, "PATCH", `/articles/${id}`, body, 409);
    assert.match(message, /^approver edited this article after you opened it/);
    assert.deepEqual((await team.page(id)).all, theirs.all);
  });

  test("of an article in the trash is refused", async () => {
    for (const status of ["pending", "published"] as const) {
      const id = await team.newArticle({ status });
      const { version } = await team.page(id);
      const gone = articlePage(await team.approver.json("POST", `/articles/${id}/delete`, { version }));
      const body = { version: gone.version, changes: { title: "X" } };
      assert.match((await assertRefused(team.editor, "PATCH", `/articles/${id}`, body, 409)).message, /trash/);
    }
  });
});

describe("hostile texts", () => {
  const HOSTILE = `<img src=x onerror=alert(1)><script>alert(1)</script>`;

  test("stay inert: a title is text, and nothing in a content runs, also while it waits", async () => {
    const id = await team.newArticle({ status: "published" });
    const content = `<p onclick="alert(1)">Hello <a href="javascript:alert(1)">you</a>${HOSTILE}</p>`;
    const drafted = await edit(team.editor, id, await team.page(id), { title: HOSTILE, content });
    const changes = record(drafted.draft?.["changes"]);
    assert.equal(changes["title"], HOSTILE);
    assert.equal(changes["content"], `<p>Hello <a>you</a><img src="x"></p>`);
    const { draft } = await team.owner.json("GET", `/articles/${id}/comparison`);
    assert.equal(record(draft)["content"], changes["content"]);
    const { version, savedAt } = drafted;
    await team.approver.json("POST", `/articles/${id}/draft/publish`, { version, draft_saved_at: savedAt });
    const detail = await team.service.detail(id);
    assert.deepEqual([detail["title"], detail["content"]], [HOSTILE, changes["content"]]);
    const shown = await preview({ changes: { title: HOSTILE, content } });
    assert.equal(shown["content"], changes["content"]);
  });
});

describe("the draft copy of a published article", () => {
  test("takes edits, later ones over earlier ones, while readers get the published text", async () => {
    const id = await team.newArticle({ status: "published", content: "<p>Live.</p>" });
    const before = await team.service.detail(id);
    const one = await edit(team.editor, id, await team.page(id), { title: "One", content: "<p>One.</p>" });
    const two = await edit(team.editor, id, one, { markdown: "Two.", tags: ["two"] });
    assert.deepEqual(record(two.draft?.["changes"]), { title: "One", markdown: "Two.", tags: ["two"] });
    assert.equal(record(two.draft?.["by"])["name"], "editor");
    assert.equal(record(two.all["line"])["has_draft"], true);
    assert.equal(two.version, one.version, "the article itself is not changed");
    assert.deepEqual(await team.service.detail(id), before);
    const again = await edit(team.editor, id, two, { markdown: "Two.", title: "One" });
    assert.equal(again.savedAt, two.savedAt, "nothing is saved when nothing changes");
    const sequence = await team.service.lastSequence();
    const live = articlePage(
      await team.approver.json("POST", `/articles/${id}/draft/publish`, {
        version: again.version,
        draft_saved_at: again.savedAt,
      }),
    );
    assert.deepEqual([live.draft, live.all["source"], live.article["content"]], [null, "markdown", "<p>Two.</p>\n"]);
    assert.deepEqual(
      (await team.service.eventsAfter(sequence)).map(({ event, data }) => [event, data["updated_fields"]]),
      [["article.updated", ["title", "tags", "content"]]],
    );
    assert.deepEqual(await team.actions(id), [
      "article.created",
      "article.draft_saved",
      "article.draft_saved",
      "article.updated",
    ]);
  });

  test("takes an editor's changes, also of labels; people who may approve can change the live article", async () => {
    const id = await team.newArticle({ status: "published" });
    const seen = await team.page(id);
    const body = { version: seen.version, as_draft: false, changes: { tags: ["mine"] } };
    const { message } = await assertRefused(team.editor, "PATCH", `/articles/${id}`, body, 403);
    assert.match(message, /draft copy/);
    const live = articlePage(await team.approver.json("PATCH", `/articles/${id}`, body));
    assert.deepEqual([live.draft, live.article["tags"]], [null, ["mine"]]);
  });

  test("is not overwritten by somebody who saw an earlier one, or none, or the article before it changed", async () => {
    const id = await team.newArticle({ status: "published" });
    const seen = await team.page(id);
    const theirs = await edit(team.approver, id, seen, { title: "Theirs" });
    const path = `/articles/${id}`;
    const mine = { version: seen.version, changes: { title: "Mine" } };
    const saved = /^approver saved this article's draft copy after you opened it/;
    assert.match((await assertRefused(team.editor, "PATCH", path, mine, 409)).message, saved);
    assert.match(
      (await assertRefused(team.editor, "PATCH", path, { ...mine, draft_saved_at: null }, 409)).message,
      saved,
    );
    const older = new Date(Date.parse(String(theirs.savedAt)) - 1).toISOString();
    const token = { version: seen.version, draft_saved_at: older };
    assert.match(
      (await assertRefused(team.approver, "POST", `${path}/draft/publish`, token, 409)).message,
      /^You saved /,
    );
    const query = `?draft_saved_at=${encodeURIComponent(older)}`;
    assert.match((await assertRefused(team.editor, "DELETE", `${path}/draft${query}`, undefined, 409)).message, saved);
    assert.deepEqual((await team.page(id)).draft, theirs.draft);

    await updateArticle(team.service.app, id, { tags: ["new"] }, CHIEF);
    const publish = { version: seen.version, draft_saved_at: theirs.savedAt };
    assert.match(
      (await assertRefused(team.approver, "POST", `${path}/draft/publish`, publish, 409)).message,
      /edited this/,
    );
    const latest = await team.page(id);
    await team.approver.json("DELETE", `${path}/draft?draft_saved_at=${encodeURIComponent(String(theirs.savedAt))}`);
    const late = { version: latest.version, draft_saved_at: theirs.savedAt, changes: { title: "Late" } };
    assert.match(
      (await assertRefused(team.editor, "PATCH", path, late, 409)).message,
      /^approver discarded .* draft copy/,
    );
    assert.deepEqual(await team.actions(id), [
      "article.created",
      "article.draft_saved",
      "article.edited",
      "article.draft_discarded",
    ]);
  });

  test("is saved by only one of two people at the same time", async () => {
    const id = await team.newArticle({ status: "published" });
    const { version } = await team.page(id);
    const replies = await Promise.all(
      ["A", "B", "C"].map((title) => team.editor.send("PATCH", `/articles/${id}`, { version, changes: { title } })),
    );
    assert.deepEqual(statuses(replies), [200, 409, 409]);
  });

  test("that a command saved is shown as far as the dashboard can write it", async () => {
    const id = await team.newArticle({ status: "published" });
    await saveDraftCopy(team.service.app, id, { userId: "somebody" }, WRITER);
    const { draft } = await team.page(id);
    assert.deepEqual(draft?.["changes"], {});
    assert.deepEqual(draft?.["by"], { id: "writer", name: "writer" });
  });

  test("cannot be saved with what could never be published", async () => {
    const id = await team.newArticle({ status: "published" });
    const { version } = await team.page(id);
    const patch = (changes: Json) => assertRefused(team.editor, "PATCH", `/articles/${id}`, { version, changes }, 400);
    assert.equal((await patch({ published_at: null })).param, "published_at");
    assert.equal((await patch({ content: "<div>".repeat(5_000) })).param, "content");
    assert.equal((await team.page(id)).draft, null);
  });
});

describe("a preview", () => {
  test("shows what would be saved, and saves nothing", async () => {
    const id = await team.newArticle(fullArticle({ status: "pending" }));
    const before = await team.page(id);
    const changes = {
      title: "Another title",
      slug: null,
      markdown: "# Head\n\nSome words<script>1</script> here.",
      excerpt: null,
    };
    const shown = await preview({ id, changes });
    assert.equal(shown["content"], '<h1 id="user-content-head">Head</h1>\n<p>Some words here.</p>\n');
    assert.equal(shown["markdown"], "# Head\n\nSome words here.\n");
    assert.deepEqual(
      [shown["slug"], shown["excerpt"], shown["word_count"]],
      ["another-title", "Head Some words here.", 4],
    );
    assert.deepEqual(shown["removed"], ["<script>"]);
    assert.deepEqual(record(shown["quality_metrics"])["reported"], { seo_score: 91 });
    assert.deepEqual((await team.page(id)).all, before.all);
    const saved = await edit(team.editor, id, before, changes);
    for (const name of ["content", "slug", "excerpt", "word_count", "reading_time"]) {
      assert.deepEqual(saved.article[name], shown[name], name);
    }
  });

  test("of a new article needs no field yet, and shows a slug that is free", async () => {
    const empty = await preview({ changes: { tags: [] } });
    assert.deepEqual([empty["content"], empty["word_count"]], ["", 0]);
    await team.newArticle({ title: "Taken twice" });
    assert.equal((await preview({ changes: { title: "Taken twice" } }))["slug"], "taken-twice-2");
  });

  test("of a published article begins with its draft copy", async () => {
    const id = await team.newArticle({ status: "published" });
    await edit(team.editor, id, await team.page(id), { content: "<p>Waiting.</p>" });
    assert.equal((await preview({ id, changes: { title: "T" } }))["content"], "<p>Waiting.</p>");
  });

  test("is limited to a size that can be shown at each pause", async () => {
    const body = { website_id: team.service.website.id, changes: { markdown: "x".repeat(600_000) } };
    const { message } = await assertRefused(team.editor, "POST", "/articles/preview", body, 413);
    assert.match(message, /preview/);
  });
});

function preview(body: Json): Promise<Json> {
  return team.editor.json("POST", "/articles/preview", { website_id: team.service.website.id, ...body });
}
