/**
 * Comments on passages of an article: who may write them, how they follow their passages, suggestions, and that readers get
 * none of them.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { LONG_ONLY } from "../helpers/full-run.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { assertRefused, openTeam } from "../helpers/team.ts";
import type { Browser } from "../people/dashboard.ts";
import { MAX_CHARACTERS_OF_ARTICLE, MAX_COMMENT_LENGTH, MAX_COMMENTS } from "../../src/domain/articles/comment.ts";
import { withoutSpace } from "../../src/domain/articles/passages.ts";
import { getComments } from "../../src/operations/articles/review/comments.ts";

const team = await openTeam();
after(() => team[Symbol.asyncDispose]());
after(() => team.assertNoneFailed());
const { service } = team;
const { app } = service;

const MARKDOWN = "The *first* paragraph says little.\n\nThe second one says what the reader wants to know.\n";

/** The passage of the article's text that reads like this. */
async function passage(id: string, quote: string): Promise<Json> {
  const text = withoutSpace((await team.stored(id)).body.text);
  const start = text.indexOf(withoutSpace(quote));
  return { start, end: start + withoutSpace(quote).length, quote };
}

async function add(by: Browser, id: string, quote: string | null, more: Json = {}, status = 201): Promise<Json> {
  const about = quote === null ? null : await passage(id, quote);
  return by.json("POST", `/articles/${id}/comments`, { text: "What does that mean?", passage: about, ...more }, status);
}

async function threads(id: string, by = team.viewer): Promise<Json[]> {
  return records((await by.json("GET", `/articles/${id}/comments`))["threads"]);
}

async function onlyThread(id: string): Promise<Json> {
  const [thread, ...others] = await threads(id);
  assert.ok(thread !== undefined && others.length === 0);
  return thread;
}

async function edit(id: string, markdown: string): Promise<void> {
  const { version, savedAt } = await team.page(id);
  await team.editor.json("PATCH", `/articles/${id}`, { version, draft_saved_at: savedAt, changes: { markdown } });
}

test("starting, answering, changing, resolving and reopening a comment are all in the history", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN });
  const [thread] = records((await add(team.editor, id, "says what the reader wants"))["threads"]);
  const path = `/articles/${id}/comments/${String(thread?.["id"])}`;
  assert.equal(record(records(thread?.["comments"])[0]?.["by"])["name"], "editor");
  const replied = await team.approver.json("POST", `${path}/replies`, { text: "That it is **short**.\n<b>x</b>" }, 201);
  const [first, second] = records(records(replied["threads"])[0]?.["comments"]);
  assert.equal(second?.["text"], "That it is **short**.\n<b>x</b>");
  const own = `/articles/${id}/comments/${String(second?.["id"])}`;

  await assertRefused(team.editor, "PATCH", own, { text: "Mine now", edited_at: null }, 403);
  await assertRefused(team.editor, "DELETE", own, undefined, 403);
  await team.approver.json("PATCH", own, { text: "Shorter", edited_at: null });
  await assertRefused(team.approver, "PATCH", own, { text: "Late", edited_at: null }, 409);
  await team.editor.json("POST", `${path}/resolve`, {});
  await team.editor.json("POST", `${path}/resolve`, {});
  const { resolved } = await onlyThread(id);
  assert.equal(record(record(resolved)["by"])["name"], "editor");
  await team.approver.json("POST", `${path}/reopen`, {});

  await team.editor.json("DELETE", `/articles/${id}/comments/${String(first?.["id"])}`);
  const left = records((await onlyThread(id))["comments"]).map(({ text, is_deleted }) => [text, is_deleted]);
  assert.deepEqual(left, [
    ["", true],
    ["Shorter", false],
  ]);
  await assertRefused(team.editor, "PATCH", path, { text: "Again", edited_at: null }, 404);
  await team.approver.json("DELETE", own);
  assert.deepEqual(await threads(id), []);
  const actions = (await team.actions(id)).filter((action) => action.startsWith("article.comment"));
  assert.deepEqual(actions, [
    "article.commented",
    "article.comment_replied",
    "article.comment_edited",
    "article.comment_resolved",
    "article.comment_reopened",
    "article.comment_deleted",
    "article.comment_deleted",
  ]);
});

test("a comment follows its passage through edits, is lost with it, and comes back with it", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN });
  await add(team.editor, id, "what the reader wants");
  const before = await onlyThread(id);
  assert.equal(record(before["passage"])["text"], "whatthereaderwants");

  await edit(id, `A new beginning.\n\n${MARKDOWN.replace("first", "**very** first")}`);
  const moved = await onlyThread(id);
  assert.equal(record(moved["passage"])["text"], "whatthereaderwants");
  assert.notDeepEqual(moved["passage"], before["passage"]);

  const changed = MARKDOWN.replace("what the reader wants to know", "nothing that is of interest to anybody");
  await edit(id, changed);
  assert.equal((await onlyThread(id))["passage"], null);
  assert.equal((await onlyThread(id))["quote"], "what the reader wants");
  await edit(id, MARKDOWN);
  assert.deepEqual((await onlyThread(id))["passage"], before["passage"]);
});

test("comments on a published article are about its draft copy, while there is one", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN, status: "published" });
  await add(team.editor, id, "first paragraph");
  await edit(id, `A sentence before.\n\n${MARKDOWN}`);
  const { draft_saved_at: saved, threads: found } = await team.viewer.json("GET", `/articles/${id}/comments`);
  assert.equal(saved, (await team.page(id)).savedAt);
  assert.equal(record(records(found)[0]?.["passage"])["start"], "Asentencebefore.The".length);
  const { savedAt } = await team.page(id);
  await team.approver.json("DELETE", `/articles/${id}/draft?draft_saved_at=${String(savedAt)}`);
  assert.equal(record((await onlyThread(id))["passage"])["start"], "The".length);
});

test("a comment is refused if its passage is no longer where it was selected", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN });
  const about = await passage(id, "second one");
  await edit(id, `More.\n\n${MARKDOWN}`);
  const path = `/articles/${id}/comments`;
  await assertRefused(team.editor, "POST", path, { text: "x", passage: about }, 409);
  await assertRefused(team.editor, "POST", path, { text: "x", passage: { start: 3, end: 3, quote: "" } }, 400);
  await assertRefused(team.editor, "POST", path, { text: " \n", passage: null }, 400);
  await assertRefused(team.editor, "POST", path, { text: "x".repeat(MAX_COMMENT_LENGTH + 1), passage: null }, 400);
  await assertRefused(team.editor, "POST", path, { text: "x", passage: null, replacement: "y" }, 400);
  assert.deepEqual(await threads(id), []);
});

test("a suggestion is applied to the source exactly, or refused", async () => {
  const id = await team.newArticle({ markdown: `\tcode\n\n${MARKDOWN}\n* item &amp; \\_x\\_\n` });
  await add(team.editor, id, "says little", { text: "", replacement: "says *everything* & more" });
  await add(team.editor, id, "first paragraph", { replacement: "other" });
  await add(team.editor, id, "The", { replacement: "A" });
  const [one, formatted, several] = await threads(id);
  const apply = async (thread: Json | undefined, status = 200, by = team.editor) => {
    const { version, savedAt } = await team.page(id);
    const path = `/articles/${id}/comments/${String(thread?.["id"])}/apply`;
    return by.json("POST", path, { version, draft_saved_at: savedAt }, status);
  };
  await apply(one, 403, team.viewer);
  const { version } = await team.page(id);
  const stale = { version: version - 1, draft_saved_at: null };
  await assertRefused(team.editor, "POST", `/articles/${id}/comments/${String(one?.["id"])}/apply`, stale, 409);
  await apply(one);
  const { markdown, text } = (await team.stored(id)).body;
  assert.match(text, /paragraph says \*everything\* & more\./);
  assert.ok(
    markdown.startsWith("\tcode\n\nThe *first* paragraph says ") && markdown.endsWith("* item &amp; \\_x\\_\n"),
  );
  assert.ok((await threads(id))[0]?.["applied_at"] !== null);
  assert.match(String((await apply(one, 409))["message"]), /settled/);
  assert.match(String((await apply(formatted, 409))["message"]), /has formatting/);
  // The first of three.
  await apply(several);
  assert.match((await team.stored(id)).body.text, /^code\n\nA first paragraph/);

  const html = '<p title="A word">A word, <b>a</b> word &amp; one   more</p>';
  const other = await team.newArticle({ content: html });
  await add(team.editor, other, "word & one more", { replacement: "1 < 2" });
  const thread = await onlyThread(other);
  const page = await team.page(other);
  await team.editor.json("POST", `/articles/${other}/comments/${String(thread["id"])}/apply`, {
    version: page.version,
  });
  assert.equal((await team.stored(other)).body.html, '<p title="A word">A word, <b>a</b> 1 &lt; 2</p>');
});

test("where a second person is needed, nobody approves a text with a suggestion of theirs", async () => {
  const { website } = team.service;
  await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: true });
  try {
    const id = await team.newArticle({ markdown: MARKDOWN, status: "pending" });
    await add(team.approver, id, "says little", { text: "", replacement: "says more" });
    const { version } = await team.page(id);
    const path = `/articles/${id}/comments/${String((await onlyThread(id))["id"])}/apply`;
    await team.editor.json("POST", path, { version, draft_saved_at: null });
    const seen = { version: (await team.page(id)).version };
    await assertRefused(team.approver, "POST", `/articles/${id}/approve`, seen, 409);
    await team.owner.json("POST", `/articles/${id}/approve`, seen);
  } finally {
    await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: false });
  }
});

test("changes are requested together with comments", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN, status: "pending" });
  await add(team.approver, id, "second one");
  const ids = (await threads(id)).map((thread) => thread["id"]);
  const { version } = await team.page(id);
  const body = { version, reason: "See my comment.", comments: [...ids, "unknown"] };
  const answer = await team.approver.json("POST", `/articles/${id}/request-changes`, body);
  assert.equal(record(answer["request"])["comments"], 1);
});

test("only members who may read the website's articles are mentioned, and their names are shown", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN });
  const other = await service.newWebsite({ name: "Other" });
  await team.people.person("editor", other.id, "stranger@example.com");
  const { people } = await team.editor.json("GET", `/articles/${id}/mentionable`);
  const byName = new Map(records(people).map((person) => [String(person["name"]), String(person["id"])]));
  const stranger = await app.store.read((db) => db.get("SELECT id FROM accounts WHERE email = 'stranger@example.com'"));
  const ids = records(people).map((person) => person["id"]);
  assert.ok(stranger !== undefined && ids.length > 0 && !ids.includes(stranger.id));
  const text = `<@${byName.get("viewer") ?? ""}>, <@${stranger.id}> and <@nobody>: look`;
  await add(team.editor, id, null, { text });
  const [comment] = records((await onlyThread(id))["comments"]);
  assert.deepEqual(comment?.["mentions"], [{ id: byName.get("viewer"), name: "viewer" }]);
  assert.equal(comment?.["text"], text);
  const audited = await app.store.read((db) =>
    db.get("SELECT detail FROM audit_log WHERE action = 'article.commented' AND target_id = ?", id),
  );
  assert.match(String(audited?.detail), /"@viewer, @somebody and @somebody: look"/);
});

test("mentioned people, writers in the thread, and the article's author are notified once each", async () => {
  const { account } = await team.editor.json("GET", "/session");
  const written = { website_id: service.website.id, title: "Told", markdown: MARKDOWN };
  const { article } = await team.editor.json("POST", "/articles", written, 201);
  const id = String(record(article)["id"]);
  const { people } = await team.approver.json("GET", `/articles/${id}/mentionable`);
  const viewer = records(people).find(({ name }) => name === "viewer");
  await add(team.approver, id, "first", { text: `<@${String(viewer?.["id"])}>: see` });
  const [thread] = await threads(id);
  const path = `/articles/${id}/comments/${String(thread?.["id"])}/replies`;
  await team.owner.json("POST", path, { text: `Yes, <@${String(record(account)["id"])}>` }, 201);
  const rows = await app.store.read((db) =>
    db.all(
      `SELECT a.name, n.kind FROM notifications n JOIN accounts a ON a.id = n.account_id WHERE n.target_id = ?
       ORDER BY a.name, n.kind`,
      id,
    ),
  );
  assert.deepEqual(
    rows.map(({ name, kind }) => `${name}: ${kind}`),
    ["approver: reply", "editor: comment", "editor: mention", "viewer: mention"],
  );
});

test("the number of comments on an article is limited", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN });
  await add(team.editor, id, null);
  await app.store.write(async (db) => {
    const columns = "website_id, row_no, thread_id, actor, body, mentions, created_at";
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(? AS BIGINT))";
    await db.run(
      `INSERT INTO comments (id, ${columns}) ${numbers} SELECT CONCAT(c.id, '-', n.i), ${columns} FROM comments c, n
       WHERE c.row_no = (SELECT row_no FROM articles WHERE id = ?)`,
      MAX_COMMENTS,
      id,
    );
  });
  assert.match(String((await add(team.editor, id, null, {}, 409))["message"]), /reached the maximum/);
  assert.equal(records((await onlyThread(id))["comments"]).length, MAX_COMMENTS);
});

test("the comments of an article have a maximum length together, also after changes", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN });
  const [thread] = records((await add(team.editor, id, "second"))["threads"]);
  const path = `/articles/${id}/comments/${String(thread?.["id"])}`;
  await app.store.write((db) =>
    db.run(
      "UPDATE comment_threads SET replacement = ? WHERE id = ?",
      "x".repeat(MAX_CHARACTERS_OF_ARTICLE - 50),
      String(thread?.["id"]),
    ),
  );
  const text = "A few words more. ".repeat(5);
  assert.match(String((await add(team.editor, id, null, { text }, 409))["message"]), /reached the maximum/);
  await assertRefused(team.editor, "POST", `${path}/replies`, { text }, 409);
  await assertRefused(team.editor, "PATCH", path, { text, edited_at: null }, 409);
  await team.editor.json("PATCH", path, { text: "Short", edited_at: null });
});

test("many long passages are followed in another process, and one that grows without end is lost", async () => {
  const words = Array.from({ length: 400 }, (_none, at) => `word${at}`).join(" ");
  const id = await team.newArticle({ markdown: words });
  await add(team.editor, id, words);
  await app.store.write(async (db) => {
    const columns = "website_id, row_no, quote, start_at, end_at, created_at";
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)";
    await db.run(
      `INSERT INTO comment_threads (id, ${columns}) ${numbers} SELECT CONCAT(t.id, '-', n.i), ${columns}
       FROM comment_threads t, n WHERE t.row_no = (SELECT row_no FROM articles WHERE id = ?)`,
      id,
    );
  });
  let elsewhere = 0;
  const findPassages: typeof app.findPassages = (websiteId, input) => {
    elsewhere++;
    return app.findPassages(websiteId, input);
  };
  const read = async () => (await getComments({ ...app, findPassages }, id)).threads.map(({ passage: place }) => place);
  await edit(id, words.replace("word200", "another"));
  assert.deepEqual([(await read()).every((place) => place !== null), elsewhere], [true, 1]);
  await edit(id, words.replace("word200", "another ".repeat(2_000)));
  assert.deepEqual([(await read()).every((place) => place === null), elsewhere], [true, 2]);
});

test("lists count the open comments", async () => {
  const id = await team.newArticle({ markdown: MARKDOWN, title: "Counted" });
  const line = async () => record((await team.page(id)).all["line"])["open_comments"];
  await add(team.editor, id, "second");
  await add(team.editor, id, "first");
  assert.equal(await line(), 2);
  const [one] = await threads(id);
  await team.editor.json("POST", `/articles/${id}/comments/${String(one?.["id"])}/resolve`, {});
  assert.equal(await line(), 1);
  const website_id = service.website.id;
  const list = await team.viewer.json("GET", `/articles?website_id=${website_id}&view=all&q=counted`);
  assert.equal(records(list["articles"])[0]?.["open_comments"], 1);
});

test("a long text is compared in another process", LONG_ONLY, async () => {
  const paragraphs = Array.from({ length: 1_500 }, (_none, at) => `Paragraph number ${at} of a long article.`);
  const id = await team.newArticle({ markdown: paragraphs.join("\n\n") });
  await add(team.editor, id, "number 1000 of a long");
  await edit(id, paragraphs.toSpliced(10, 100).join("\n\n"));
  const [thread] = (await getComments(app, id)).threads;
  assert.equal(thread?.passage?.text, "number1000ofalong");
});
