/** An article's history: what changed, earlier revisions, and restoring them. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { deleteArticle, restoreArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { REVISIONS_KEPT } from "../../src/operations/articles/write/save-revision.ts";
import { CHIEF, fullArticle, makeArticle, WRITER } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { type Team, articlePage, openTeam, assertRefused } from "../helpers/team.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
afterEach(() => team.assertNoneFailed());

const edit = async (id: string, changes: Json, browser = team.editor) => {
  const { version, savedAt: draft_saved_at } = await team.page(id);
  return articlePage(await browser.json("PATCH", `/articles/${id}`, { version, draft_saved_at, changes }));
};

const decide = async (id: string, name: string, body: Json = {}) => {
  const { version } = await team.page(id);
  return articlePage(await team.approver.json("POST", `/articles/${id}/${name}`, { version, ...body }));
};

const comparison = (id: string) => team.viewer.json("GET", `/articles/${id}/comparison`);

const revision = async (id: string, revisionId: unknown) => {
  const found = await team.viewer.json("GET", `/articles/${id}/revisions/${String(revisionId)}`);
  return { by: record(found["by"])["name"], at: found["at"], content: record(found["content"]) };
};

const restore = async (id: string, revisionId: unknown, browser = team.editor) => {
  const { version, savedAt: draft_saved_at } = await team.page(id);
  const path = `/articles/${id}/revisions/${String(revisionId)}/restore`;
  return articlePage(await browser.json("POST", path, { version, draft_saved_at }));
};

async function runImport(
  items: { ref: string; input: Json & { title: string } }[],
  actor = { ...CHIEF, id: "import" },
  websiteId = team.service.website.id,
) {
  async function* all(): AsyncGenerator<ImportItem> {
    for (const { ref, input } of items) yield { kind: "draft", source: `${ref}.md`, ref, input };
  }
  return importArticles(team.service.app, websiteId, all(), { events: false, dryRun: false, actor });
}

async function imported(ref: string): Promise<string> {
  const row = await team.service.app.store.read((db) =>
    db.get("SELECT id FROM articles JOIN article_origins USING (row_no) WHERE source = ?", ref),
  );
  return row?.id ?? "";
}

describe("the history of an article", () => {
  test("has everything that was done, newest first, with the revision that it made", async () => {
    const id = await team.newArticle({ title: "First", status: "pending" });
    await edit(id, { title: "Second" });
    await edit(id, { platform_post_id: "7" });
    await decide(id, "approve");
    await edit(id, { tags: ["x"], markdown: "Third." }, team.approver);
    const history = await team.history(id);
    assert.deepEqual(
      history.map(({ action, by, revision }) => [action, record(by)["name"], revision !== null]),
      [
        ["article.edited", "approver", true],
        ["article.approved", "approver", false],
        ["article.edited", "editor", false],
        ["article.edited", "editor", true],
        ["article.created", "chief", true],
      ],
    );
    const times = history.map(({ at }) => Date.parse(String(at)));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    const titles = [];
    for (const entry of history.filter((one) => one["revision"] !== null)) {
      assert.equal(entry["revision"], entry["id"]);
      const { content, at, by } = await revision(id, entry["revision"]);
      assert.deepEqual([at, by], [entry["at"], record(entry["by"])["name"]]);
      titles.push([content["title"], content["source"]]);
    }
    assert.deepEqual(titles, [
      ["Second", "markdown"],
      ["Second", "html"],
      ["First", "html"],
    ]);
  });

  test("comes in pages that neither repeat nor leave out anything", async () => {
    const id = await team.newArticle({ status: "pending" });
    for (let number = 0; number < 60; number++) {
      await updateArticle(team.service.app, id, { title: `Title ${number}` }, WRITER);
    }
    const first = await team.owner.json("GET", `/articles/${id}/history`);
    assert.equal(records(first["entries"]).length, 50);
    const cursor = encodeURIComponent(String(first["next_cursor"]));
    const second = await team.owner.json("GET", `/articles/${id}/history?cursor=${cursor}`);
    assert.equal(second["next_cursor"], null);
    const titles = [...records(first["entries"]), ...records(second["entries"])].map(
      ({ detail }) => record(detail)["title"],
    );
    const all = Array.from({ length: 60 }, (_, index) => `Title ${59 - index}`);
    assert.deepEqual(titles.slice(0, -1), all);
    const wrong = await assertRefused(team.owner, "GET", `/articles/${id}/history?cursor=7`, undefined, 400);
    assert.equal(wrong.param, "cursor");
  });

  test("of an imported article begins with its import, and has the changes of later imports", async () => {
    const website = await team.service.newWebsite({ name: "Imported" });
    const input = { title: "Imported", content: "<p>One.</p>" };
    await runImport([{ ref: "history-1", input }], undefined, website.id);
    const id = await imported("history-1");
    const [arrival, ...none] = await team.history(id);
    assert.deepEqual(none, []);
    assert.deepEqual(
      [arrival?.["action"], record(arrival?.["by"])["id"], arrival?.["detail"], arrival?.["revision"]],
      ["article.imported", "import", { source: "history-1.md" }, null],
    );
    await runImport([{ ref: "history-1", input: { ...input, title: "Again" } }], undefined, website.id);
    await edit(id, { title: "By hand" });
    const history = await team.history(id);
    assert.deepEqual(
      history.map(({ action, by }) => [action, record(by)["name"]]),
      [
        ["article.edited", "editor"],
        ["article.imported", "import"],
        ["article.imported", "import"],
      ],
    );
    assert.equal((await revision(id, history[1]?.["revision"])).content["title"], "Again");
    assert.equal((await revision(id, history[2]?.["revision"])).content["title"], "Imported");
    assert.deepEqual([history[2]?.["id"], history[2]?.["at"]], [arrival?.["id"], arrival?.["at"]]);
    const version = 1;
    const { message } = await assertRefused(team.approver, "POST", `/articles/${id}/approve`, { version }, 409);
    assert.match(message, /^editor edited this article/);
  });
});

describe("an import", () => {
  test("that changes nothing written belongs to nobody, and others are not blamed for it", async () => {
    const website = await team.service.newWebsite({ name: "Blamed" });
    const input = { title: "Blamed", content: "<p>One.</p>" };
    await runImport([{ ref: "blame-1", input }], undefined, website.id);
    const id = await imported("blame-1");
    await edit(id, { title: "By hand" });
    const { version } = await team.page(id);
    await runImport([{ ref: "blame-1", input: { ...input, title: "By hand", status: "approved" } }], CHIEF, website.id);
    assert.equal((await team.page(id)).status, "approved");
    const { message } = await assertRefused(team.approver, "POST", `/articles/${id}/publish`, { version }, 409);
    assert.match(message, /^Somebody else has changed this article since you opened it\./);
  });

  test("leaves one entry in the audit log, with its counts, and none beside the articles that it creates", async () => {
    const website = await team.service.newWebsite({ name: "Counted" });
    const items = Array.from({ length: 120 }, (_, index) => ({
      ref: `count-${index}`,
      input: { title: `Counted ${index}`, content: "<p>Text.</p>" },
    }));
    const entries = async () => {
      const all = await team.owner.json("GET", `/audit?website_id=${website.id}`);
      return records(all["entries"]).filter(({ action }) => String(action).startsWith("article"));
    };
    await runImport([...items, ...items.slice(0, 1)], undefined, website.id);
    const [first, ...others] = await entries();
    assert.deepEqual(others, []);
    assert.equal(first?.["action"], "articles.imported");
    assert.deepEqual(first?.["detail"], { created: 120, updated: 0, unchanged: 1, held: 0, failed: 0, skipped: 0 });
    const id = await imported("count-7");
    assert.deepEqual([await team.rows("revisions", id), await team.rows("revision_texts", id)], [0, 0]);
    await runImport(items, undefined, website.id);
    assert.equal((await entries()).length, 1, "an import that changes nothing leaves none");
    await runImport([{ ref: "count-7", input: { title: "Counted 7", content: "<p>New.</p>" } }], undefined, website.id);
    assert.deepEqual((await entries())[0]?.["detail"], {
      created: 0,
      updated: 1,
      unchanged: 0,
      held: 0,
      failed: 0,
      skipped: 0,
    });
    assert.deepEqual([await team.rows("revisions", id), await team.rows("revision_texts", id)], [2, 1]);
  });

  test("by somebody who may not approve publishes nothing, and changes nothing that is published", async () => {
    const website = await team.service.newWebsite({ name: "Raised" });
    const editor = { id: "some editor", mayApprove: false };
    const input = { title: "Raised", content: "<p>One.</p>", status: "published" };
    await runImport([{ ref: "raise-1", input }], editor, website.id);
    assert.equal((await team.page(await imported("raise-1"))).status, "pending");
    await runImport([{ ref: "raise-2", input }], CHIEF, website.id);
    const id = await imported("raise-2");
    assert.equal((await team.page(id)).status, "published");
    for (const change of [{ content: "<p>Two.</p>" }, { tags: ["two"] }]) {
      const { held } = await runImport([{ ref: "raise-2", input: { ...input, ...change } }], editor, website.id);
      assert.match(held[0]?.reason ?? "", /who may approve/);
    }
    assert.equal(await team.rows("revisions", id), 0);
    const future = Date.UTC(2900, 0, 1);
    await runImport([{ ref: "raise-3", input: { ...input, status: "approved" } }], CHIEF, website.id);
    const planned = { ...input, status: "approved", publishAt: future };
    await runImport([{ ref: "raise-3", input: planned }], editor, website.id);
    const { all } = await team.page(await imported("raise-3"));
    assert.equal(record(all["line"])["publish_at"], null);
  });
});

describe("a revision", () => {
  test("keeps everything that is written, as it was", async () => {
    const id = await team.newArticle(fullArticle({ status: "pending", markdown: "*One*\n" }));
    const before = (await comparison(id))["current"];
    await edit(id, {
      title: "T",
      slug: "t",
      excerpt: null,
      content: "<p>Two.</p>",
      meta_description: null,
      target_keyword: null,
      seo_keywords: [],
      categories: ["c"],
      tags: [],
      featured_image_url: null,
      featured_image_alt: null,
    });
    const [, created] = await team.history(id);
    assert.deepEqual((await revision(id, created?.["revision"])).content, before);
    await assertRefused(team.viewer, "GET", `/articles/${id}/revisions/${id}`, undefined, 404);
    const other = await team.newArticle();
    const foreign = `/articles/${other}/revisions/${String(created?.["revision"])}`;
    await assertRefused(team.viewer, "GET", foreign, undefined, 404);
  });

  test("that is restored is an edit like any other, and gives back its text byte for byte", async () => {
    const id = await team.newArticle(fullArticle({ status: "approved", markdown: "*One* <b>bold</b>\n" }));
    const first = await comparison(id);
    await edit(id, { title: "Two", content: "<p>Two.</p>", tags: [] });
    const [second, , created] = [...(await team.history(id)), undefined];
    const [, made] = await team.history(id);
    const restored = await restore(id, made?.["revision"]);
    assert.equal(restored.status, "pending");
    assert.deepEqual((await comparison(id))["current"], first["current"]);
    assert.deepEqual([second?.["action"], created], ["article.edited", undefined]);
    const [newest] = await team.history(id);
    assert.deepEqual(newest?.["detail"], {
      title: String(restored.article["title"]),
      fields: "title, tags, content",
      restored: made?.["id"],
    });
    const again = await restore(id, made?.["revision"]);
    assert.equal(again.version, restored.version, "nothing is saved when nothing changes");
    await restore(id, second?.["revision"]);
    const { current } = await comparison(id);
    assert.deepEqual([record(current)["source"], record(current)["content"]], ["html", "<p>Two.</p>"]);
    assert.equal(await team.rows("revision_texts", id), 2, "each text is kept once");
  });

  test("of a published article is restored into the draft copy, in place of the earlier one", async () => {
    const id = await team.newArticle({ status: "published", title: "One", content: "<p>One.</p>" });
    await updateArticle(team.service.app, id, { title: "Two", content: "<p>Two.</p>", tags: ["x"] }, CHIEF);
    await edit(id, { title: "Waiting", content: "<p>Waiting.</p>", meta_description: "Stays." });
    const created = (await team.history(id)).at(-1);
    const path = `/articles/${id}/revisions/${String(created?.["revision"])}/restore`;
    const { version } = await team.page(id);
    const unseen = await assertRefused(team.approver, "POST", path, { version }, 409);
    assert.match(unseen.message, /^editor saved this article's draft copy/);
    const restored = await restore(id, created?.["revision"]);
    assert.equal(restored.article["title"], "Two");
    const { draft } = await comparison(id);
    const { title, content, tags, meta_description } = record(draft);
    assert.deepEqual([title, content, tags, meta_description], ["One", "<p>One.</p>", [], null]);
    assert.equal((await team.actions(id)).at(-1), "article.draft_saved");
  });

  test("cannot be restored by somebody who has not seen the latest change", async () => {
    const id = await team.newArticle({ status: "pending" });
    const { version } = await team.page(id);
    await edit(id, { title: "Theirs" });
    const [, created] = await team.history(id);
    const path = `/articles/${id}/revisions/${String(created?.["revision"])}/restore`;
    assert.match((await assertRefused(team.approver, "POST", path, { version }, 409)).message, /^editor edited/);
  });

  test("is kept if it is one of the newest fifty, or the one that was approved last", async () => {
    const id = await team.newArticle({ status: "pending", content: "<p>Approved.</p>", title: "Approved" });
    await decide(id, "approve");
    for (let number = 0; number < REVISIONS_KEPT + 10; number++) {
      await updateArticle(team.service.app, id, { content: `<p>Text ${number}.</p>` }, WRITER);
    }
    assert.equal(await team.rows("revisions", id), REVISIONS_KEPT + 1);
    assert.equal(await team.rows("revision_texts", id), REVISIONS_KEPT);
    const { approved } = await comparison(id);
    assert.equal(record(record(approved)["content"])["content"], "<p>Approved.</p>");
    const entries = await team.history(id);
    assert.ok(
      entries.every(({ revision }) => revision !== null),
      "the newest fifty",
    );
  });

  test("is not kept when an edit changes no text", async () => {
    const id = await team.newArticle({ status: "pending", content: "<p>The text.</p>" });
    for (const title of ["One", "Two", "Three"]) await edit(id, { title });
    assert.deepEqual([await team.rows("revisions", id), await team.rows("revision_texts", id)], [4, 0]);
    const all = async () => {
      const found = [];
      for (const entry of await team.history(id))
        found.push((await revision(id, entry["revision"])).content["content"]);
      return found;
    };
    assert.deepEqual(new Set(await all()), new Set(["<p>The text.</p>"]));
    await edit(id, { content: "<p>Another.</p>" });
    assert.equal(await team.rows("revision_texts", id), 1);
    assert.deepEqual(
      (await all()).slice(1),
      ["Three", "Two", "One", "First"].map(() => "<p>The text.</p>"),
    );
  });

  test("is kept of a slug that was given away while the article was in the trash", async () => {
    const id = await team.newArticle({ title: "Same slug", status: "pending" });
    await deleteArticle(team.service.app, id, CHIEF);
    await team.newArticle(makeArticle({ title: "Same slug", status: "pending" }));
    await restoreArticle(team.service.app, id, CHIEF);
    const [newest] = await team.history(id);
    assert.deepEqual(newest?.["detail"], { title: "Same slug", slug: "same-slug-2" });
    const { content } = await revision(id, newest?.["revision"]);
    assert.equal(content["slug"], "same-slug-2");
  });
});

describe("a comparison", () => {
  test("has the article as it would be with the held changes of each source, over those of the draft copy", async () => {
    const website = await team.service.newWebsite({ name: "Compared" });
    const input = { title: "Compared", content: "<p>One.</p>", status: "published" };
    await runImport([{ ref: "held-1", input }], CHIEF, website.id);
    const id = await imported("held-1");
    const { version } = await team.page(id);
    const drafted = { version, draft_saved_at: null, changes: { title: "Drafted" } };
    await team.owner.json("PATCH", `/articles/${id}`, drafted);
    const editor = { id: "some editor", mayApprove: false };
    await runImport(
      [{ ref: "held-1", input: { ...input, content: "<p>Two.</p>", tags: ["two"] } }],
      editor,
      website.id,
    );
    const { held } = await team.owner.json("GET", `/articles/${id}/comparison`);
    const [one = {}] = records(held);
    assert.equal(one["source"], "held-1");
    const { title, content, tags, markdown } = record(one["content"]);
    assert.deepEqual([title, content, tags, markdown], ["Drafted", "<p>Two.</p>", ["two"], "Two.\n"]);
  });

  test("shows what was approved last, once something else has replaced it", async () => {
    const id = await team.newArticle({ status: "pending", content: "<p>A</p>" });
    assert.deepEqual(await texts(id), ["<p>A</p>", null, null, null]);
    await decide(id, "approve");
    assert.deepEqual(await texts(id), ["<p>A</p>", null, null, null]);
    await edit(id, { content: "<p>B</p>" });
    assert.deepEqual(await texts(id), ["<p>B</p>", "<p>A</p>", null, null]);
    await edit(id, { content: "<p>C</p>" });
    assert.deepEqual(await texts(id), ["<p>C</p>", "<p>A</p>", null, null]);
    await decide(id, "approve");
    assert.deepEqual(await texts(id), ["<p>C</p>", null, null, null]);
    await decide(id, "request-changes", { reason: "No." });
    assert.deepEqual(await texts(id), ["<p>C</p>", null, null, null], "it is what is there");
    await edit(id, { content: "<p>D</p>" });
    assert.deepEqual(await texts(id), ["<p>D</p>", "<p>C</p>", null, null], "also when the approval was taken back");
    const { approved } = await comparison(id);
    assert.equal(record(record(approved)["by"])["name"], "editor");
  });

  test("of a published article shows the live article, and its draft copy as it would be", async () => {
    const id = await team.newArticle({ status: "published", content: "<p>Live.</p>", tags: ["live"] });
    assert.deepEqual(await texts(id), ["<p>Live.</p>", null, null, null]);
    await edit(id, { markdown: "Draft." });
    assert.deepEqual(await texts(id), ["<p>Live.</p>", null, "<p>Live.</p>", "<p>Draft.</p>\n"]);
    const { draft, live } = await comparison(id);
    assert.deepEqual([record(draft)["tags"], record(draft)["source"]], [["live"], "markdown"]);
    assert.equal(record(record(live)["by"])["name"], "chief");
  });

  test("shows Markdown also of what was written in HTML", async () => {
    const id = await team.newArticle({ status: "approved", content: "<h2>Head</h2><p>Some <b>text</b>.</p>" });
    const { current } = await comparison(id);
    await edit(id, { title: "New" });
    await edit(id, { content: "<p>New.</p>" });
    const { approved } = await comparison(id);
    assert.deepEqual(record(approved)["content"], current);
    assert.equal(record(current)["markdown"], "## Head\n\nSome **text**.\n");
  });
});

/** Of what there is now, what was approved, what is live and the draft copy. */
async function texts(id: string): Promise<unknown[]> {
  const { current, approved, live, draft } = await comparison(id);
  return [current, approved && record(approved)["content"], live && record(live)["content"], draft].map(
    (content) => content && record(content)["content"],
  );
}
