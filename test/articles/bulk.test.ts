/** Bulk actions: each article is handled by itself, with a result of its own. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AppError } from "../../src/domain/system/errors.ts";
import { changeEach } from "../../src/operations/articles/write/bulk.ts";
import { CHIEF } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { holdChanges } from "../helpers/hold-changes.ts";
import { until } from "../helpers/until.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import type { Browser } from "../people/dashboard.ts";
import { type Team, openTeam, assertRefused } from "../helpers/team.ts";

const NOBODY = "01a1fdf4-0000-7000-8000-000000000000";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());

type Chosen = string | { id: string; version: number };

/** @returns the sentence of each refusal; null: it was done. */
async function bulk(action: string, chosen: readonly Chosen[], who: Browser = team.approver): Promise<unknown[]> {
  const articles = chosen.map((one): Json => (typeof one === "string" ? { id: one } : one));
  const answer = await who.json("POST", `/articles/bulk/${action}`, { website_id: team.service.website.id, articles });
  const results = records(answer["results"]);
  assert.deepEqual(
    results.map(({ id }) => id),
    articles.map(({ id }) => id),
  );
  assert.equal(answer["done"], results.filter(({ ok }) => ok === true).length);
  for (const { ok, message } of results) assert.equal(ok, message === null);
  return results.map(({ message }) => message);
}

async function states(ids: readonly string[]): Promise<string[]> {
  const all = await Promise.all(ids.map((id) => team.stored(id)));
  return all.map(({ article }) => (article.deletedAt === null ? article.status : "trash"));
}

test("every action is done with each article, and one that is refused does not stop the rest", async () => {
  const [a, b, c] = [await team.newArticle(), await team.newArticle(), await team.newArticle({ status: "published" })];
  assert.deepEqual(await bulk("approve", [a, c, NOBODY, b, a]), [
    null,
    "Only an article that is in review can be approved; this one is published.",
    `There is no article with the id ${NOBODY}.`,
    null,
    "Only an article that is in review can be approved; this one is approved.",
  ]);
  assert.deepEqual(await states([a, b, c]), ["approved", "approved", "published"]);
  assert.deepEqual(await bulk("publish", [a, c]), [
    null,
    "Only an article that is approved or scheduled can be published; this one is published.",
  ]);
  assert.deepEqual(await bulk("unpublish", [a, b, c]), [
    null,
    "Only an article that is published can be unpublished; this one is approved.",
    null,
  ]);
  assert.deepEqual(await bulk("delete", [a, b, c]), [null, null, null]);
  assert.deepEqual(await states([a, b, c]), ["trash", "trash", "trash"]);
  assert.deepEqual(await bulk("restore", [c, b]), [null, null]);
  const d = await team.newArticle();
  assert.deepEqual(await bulk("approve-and-publish", [d]), [null]);
  assert.deepEqual(await states([a, b, c, d]), ["trash", "approved", "approved", "published"]);
});

test("an article that changed since it was seen is left alone, and the message names who changed it", async () => {
  const [seen, changed] = [await team.newArticle(), await team.newArticle()];
  const version = async (id: string) => (await team.stored(id)).article.version;
  const chosen = [
    { id: changed, version: await version(changed) },
    { id: seen, version: await version(seen) },
  ];
  await team.editor.json("PATCH", `/articles/${changed}`, {
    version: await version(changed),
    changes: { title: "Another title" },
  });
  const [first, second] = await bulk("approve", chosen);
  assert.match(
    String(first),
    /^editor edited this article after you opened it\. Look at the new version, then try again\.$/,
  );
  assert.equal(second, null);
  assert.deepEqual(await states([changed, seen]), ["pending", "approved"]);
});

test("articles of another website are not found, even for people who may change them", async () => {
  const other = await team.service.newWebsite({ name: "Other" });
  const mine = await team.newArticle();
  const theirs = { website_id: other.id, articles: [{ id: mine }] };
  const answer = await team.approver.json("POST", "/articles/bulk/approve", theirs);
  assert.deepEqual(answer, {
    results: [{ id: mine, ok: false, message: `There is no article with the id ${mine}.` }],
    done: 0,
    held: 0,
  });
  assert.deepEqual(await states([mine]), ["pending"]);
  await assertRefused(team.approver, "POST", "/articles/bulk/approve", { ...theirs, website_id: "none" }, 404);
});

test("each change has its event and its entry in the audit log, with who made it", async () => {
  const before_ = await team.service.lastSequence();
  const ids = [await team.newArticle(), await team.newArticle()];
  await bulk("approve-and-publish", ids);
  const events = await team.service.eventsAfter(before_);
  assert.deepEqual(
    events.map(({ event, data }) => [event, data["article_id"]]),
    ids.map((id) => ["article.published", id]),
  );
  for (const id of ids) {
    const last = (await team.history(id)).find(({ action }) => action === "article.published");
    assert.equal(record(last?.["by"])["name"], "approver");
  }
});

test("up to two hundred articles are accepted at once", async () => {
  const ids = [];
  for (let made = 0; made < 200; made++) ids.push(await team.newArticle());
  const done = await bulk("approve", ids);
  assert.ok(done.every((refusal) => refusal === null));
  const articles = [...ids, NOBODY].map((id) => ({ id }));
  const { param } = await assertRefused(
    team.approver,
    "POST",
    "/articles/bulk/delete",
    { website_id: team.service.website.id, articles },
    400,
  );
  assert.equal(param, "articles");
});

test("when the database fails, the response reports what was done, and the rest is not attempted", async () => {
  const { app, website } = team.service;
  const ids = [await team.newArticle(), await team.newArticle(), await team.newArticle()];
  let writes = 0;
  const store = wrapStore(app.store, {
    write: (work, options) => {
      if (++writes < 2) return app.store.write(work, options);
      throw new AppError("unavailable", "The disk is on fire.");
    },
  });
  const failures: unknown[] = [];
  const chosen = ids.map((id) => ({ id }));
  const outcomes = await Array.fromAsync(
    changeEach({ ...app, store }, "approve", website.id, chosen, CHIEF, {}, (error) => {
      failures.push(error);
    }),
  );
  assert.deepEqual(
    outcomes.map(({ refusal }) => refusal),
    [
      null,
      "The database could not be reached: look at this article again to see whether it was done.",
      "This was not tried: the database cannot be reached. Try again in a moment.",
    ],
  );
  assert.equal(writes, 2);
  assert.equal(failures.length, 1);
  assert.deepEqual(await states(ids), ["approved", "pending", "pending"]);
});

test("the content of one article is derived while others are labelled, and outcomes come in the given order", async () => {
  const { app, website } = team.service;
  const [first, second] = [await team.newArticle(), await team.newArticle()];
  const others = Promise.withResolvers<void>();
  let count = 0;
  const deriveContent: typeof app.deriveContent = async (...source) => {
    if (count++ === 0) await others.promise;
    else others.resolve();
    return app.deriveContent(...source);
  };
  const chosen = [first, second, "nothing"].map((id) => ({ id }));
  const input = { addTags: ["Winter"] };
  const outcomes = await Array.fromAsync(
    changeEach({ ...app, deriveContent }, "label", website.id, chosen, CHIEF, input, assert.ifError),
  );
  assert.deepEqual(
    outcomes.map(({ id, refusal }) => [id, refusal]),
    [
      [first, null],
      [second, null],
      ["nothing", "There is no article with the id nothing."],
    ],
  );
  for (const id of [first, second]) assert.ok((await team.stored(id)).article.tags.includes("Winter"));
});

/** @returns the lines of the answer. */
async function bulkMatching(action: string, body: Json, who: Browser = team.approver): Promise<Json[]> {
  const all = { website_id: team.service.website.id, ...body };
  const { status, text } = await who.send("POST", `/articles/bulk/${action}/matching`, all);
  assert.equal(status, 200, text);
  return text
    .trim()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
}

/** Ids of the articles that the lines report as changed, each with its title. */
function changedIn(lines: readonly Json[]): string[] {
  const changed = lines.flatMap(({ changed: some }) => (some === undefined ? [] : records(some)));
  assert.ok(changed.every(({ title }) => typeof title === "string" && title !== ""));
  return changed.map(({ id }) => String(id));
}

test("everything that matched at the start is changed, and each refusal names its article", async () => {
  const ids: string[] = [];
  for (let no = 0; no < 45; no++) ids.push(await team.newArticle({ tags: ["Harvest"] }));
  const [first = "", second = ""] = ids;
  await bulk("approve", [second]);
  await team.newArticle({ tags: ["Other"] });
  const lines = await bulkMatching("approve", { view: "all", tag: "harvest" });
  assert.deepEqual(lines[0], { kind: "start", total: 45 });
  assert.deepEqual(
    lines.filter(({ kind }) => kind === "refused").map(({ id, message }) => [id, message]),
    [[second, "Only an article that is in review can be approved; this one is approved."]],
  );
  assert.deepEqual(lines.at(-1), { kind: "summary", done: 44, refused: 1, held: 0 });
  const done = changedIn(lines);
  assert.deepEqual(done.toSorted(), ids.filter((id) => id !== second).toSorted());
  assert.deepEqual(await states([first, second]), ["approved", "approved"]);

  const labelled = await bulkMatching("label", {
    view: "approved",
    tag: "harvest",
    add_tags: ["Spring", "HARVEST"],
    remove_categories: ["none"],
    add_categories: ["Season"],
  });
  assert.deepEqual(labelled.at(-1), { kind: "summary", done: 45, refused: 0, held: 0 });
  const { article } = await team.stored(first);
  assert.deepEqual([article.tags, article.categories], [["Harvest", "Spring"], ["Season"]]);
  assert.equal(article.status, "approved");
});

test("an action that its person stops reports everything that it did", async () => {
  const { app, website } = team.service;
  const ids: string[] = [];
  for (let no = 0; no < 45; no++) ids.push(await team.newArticle({ tags: ["Stopped"] }));
  await using held = await holdChanges(app, website.id);
  const named = { website_id: website.id, bulk_id: "stopped" };
  const running = bulkMatching("approve", { ...named, view: "all", tag: "stopped" });
  const stop = async (who: Browser) => (await who.json("POST", "/articles/bulk/stop", named))["is_stopped"] === true;
  await until("it is stopped", () => stop(team.approver));
  assert.equal(await stop(team.editor), false, "the action of somebody else");
  await held[Symbol.asyncDispose]();
  const lines = await running;
  assert.deepEqual(lines.at(-1), { kind: "stopped" });
  const done = changedIn(lines);
  const all = await states(ids);
  assert.deepEqual(done.toSorted(), ids.filter((_, at) => all[at] === "approved").toSorted());
  assert.ok(done.length < ids.length);
  assert.equal(await stop(team.approver), false, "it is over");
});

test("an approver can set the author to any member who may edit", async () => {
  const id = await team.newArticle();
  const { id: editor } = record((await team.editor.json("GET", "/session"))["account"]);
  const { id: viewer } = record((await team.viewer.json("GET", "/session"))["account"]);
  const body = { view: "in_review", author_id: editor };
  await assertRefused(
    team.editor,
    "POST",
    "/articles/bulk/set-author/matching",
    { ...body, website_id: team.service.website.id },
    403,
  );
  assert.equal((await bulkMatching("set-author", { ...body, author_id: viewer })).at(-1)?.["done"], 0);
  assert.equal((await bulkMatching("set-author", body)).at(-1)?.["refused"], 0);
  assert.equal((await team.stored(id)).article.authorId, editor);
  assert.ok((await team.actions(id)).includes("article.author_changed"));
});

test("an action without its required input is refused before anything is changed", async () => {
  const body = { website_id: team.service.website.id, view: "all" };
  for (const [action, param] of [
    ["request-changes", "reason"],
    ["schedule", "publish_at"],
    ["label", "add_tags"],
  ] as const) {
    const answer = await assertRefused(team.approver, "POST", `/articles/bulk/${action}/matching`, body, 400);
    assert.equal(answer.param, param);
  }
});
