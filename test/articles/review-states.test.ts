/** docs/review.md: who can do what with an article on its way to approval, and that readers see none of it. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { articlePage, assertRefused, openTeam } from "../helpers/team.ts";
import type { Browser } from "../people/dashboard.ts";
import { createArticle, submitArticle } from "../../src/operations/articles/write/articles.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { parseArticleJson } from "../../src/domain/articles/article-json.ts";

const team = await openTeam();
after(() => team[Symbol.asyncDispose]());
after(() => team.assertNoneFailed());
const { service } = team;
const { app, website } = service;

let made = 0;

/** A new article as "New article" makes it. @returns its id. */
async function written(by: Browser, more: Json = {}): Promise<string> {
  const body = { website_id: website.id, title: `Written ${++made}`, markdown: "A text.", ...more };
  return String(articlePage(await by.json("POST", "/articles", body, 201)).article["id"]);
}

async function act(by: Browser, id: string, verb: string, more: Json = {}, status = 200): Promise<Json> {
  const { version } = await team.page(id);
  return by.json("POST", `/articles/${id}/${verb}`, { version, ...more }, status);
}

async function actOn(by: Browser, id: string, verb: string, more: Json = {}): Promise<void> {
  const { version } = record((await by.json("GET", `/articles/${id}`))["line"]);
  await by.json("POST", `/articles/${id}/${verb}`, { version, ...more });
}

async function line(id: string): Promise<Json> {
  return record((await team.page(id)).all["line"]);
}

async function reviewState(id: string): Promise<unknown[]> {
  const { status, review_state, is_resubmitted } = await line(id);
  return [status, review_state, is_resubmitted];
}

async function verbs(by: Browser, id: string): Promise<unknown> {
  return (await by.json("GET", `/articles/${id}`))["verbs"];
}

test("an article goes from draft to review, back to its author, to review again, and is approved", async () => {
  const id = await written(team.editor);
  assert.deepEqual(await reviewState(id), ["pending", "draft", false]);
  assert.equal(record((await line(id))["author"])["name"], "editor");
  assert.match(String((await act(team.approver, id, "approve", {}, 409))["message"]), /this one is a draft\.$/);

  await act(team.editor, id, "submit");
  assert.deepEqual(await reviewState(id), ["pending", "in_review", false]);
  await act(team.editor, id, "withdraw");
  assert.deepEqual(await reviewState(id), ["pending", "draft", false]);
  await act(team.editor, id, "submit");

  assert.match(
    String((await act(team.approver, id, "request-changes", { reason: " " }, 400))["message"]),
    /what should change/,
  );
  const answer = await act(team.approver, id, "request-changes", { reason: "Say more." });
  assert.deepEqual(await reviewState(id), ["pending", "changes_requested", false]);
  const { reason, by } = record(answer["request"]);
  assert.deepEqual([reason, record(by)["name"]], ["Say more.", "approver"]);
  await act(team.approver, id, "approve", {}, 409);

  await act(team.editor, id, "submit");
  assert.deepEqual(await reviewState(id), ["pending", "in_review", true]);
  assert.equal(record((await team.page(id)).all["request"])["reason"], "Say more.");
  await act(team.approver, id, "approve");
  assert.deepEqual(await reviewState(id), ["approved", null, false]);
  assert.equal((await team.page(id)).all["request"], null);
  await act(team.approver, id, "request-changes", { reason: "One more thing." });
  assert.deepEqual(await reviewState(id), ["pending", "changes_requested", false]);
  assert.deepEqual(await team.actions(id), [
    "article.created",
    "article.submitted",
    "article.withdrawn",
    "article.submitted",
    "article.changes_requested",
    "article.submitted",
    "article.approved",
    "article.changes_requested",
  ]);
});

test("the items of a request are ticked, and the ticks stay with it when the article comes back", async () => {
  const id = await written(team.editor, { review_state: "in_review" });
  const { request } = await act(team.approver, id, "request-changes", { reason: "- Say more.\n- Say which tea." });
  const { at } = record(request);
  const tick = (by: Browser, item: number, is_done: boolean, status = 200) =>
    by.json("POST", `/articles/${id}/request/tick`, { at, item, is_done }, status);
  const items = async () => record((await team.page(id)).all["request"])["items"];

  await tick(team.editor, 0, true);
  await tick(team.editor, 1, true);
  await tick(team.editor, 1, true);
  await tick(team.editor, 0, false);
  await tick(team.editor, 2, true, 400);
  await tick(team.viewer, 0, true, 403);
  const one = { text: "Say more.", is_done: false };
  assert.deepEqual(await items(), [one, { text: "Say which tea.", is_done: true }]);
  await act(team.editor, id, "submit");
  assert.deepEqual(await items(), [one, { text: "Say which tea.", is_done: true }]);
  assert.deepEqual((await team.actions(id)).slice(-4), [
    "article.request_item_done",
    "article.request_item_done",
    "article.request_item_reopened",
    "article.submitted",
  ]);

  const again = await act(team.approver, id, "request-changes", { reason: "Say which tea." });
  assert.deepEqual(record(again["request"])["items"], [{ text: "Say which tea.", is_done: false }]);
  await tick(team.editor, 0, true, 409);
  await act(team.editor, id, "submit");
  await act(team.approver, id, "approve");
  await tick(team.editor, 0, true, 409);
});

test("a request for changes is undone by the person who made it, and nobody else", async () => {
  const id = await written(team.editor, { review_state: "in_review" });
  await act(team.approver, id, "submit", { undo: true }, 409);
  await act(team.approver, id, "request-changes", { reason: "Say more." });
  const unread = async () =>
    records((await team.editor.json("GET", "/inbox?unread=true"))["notifications"]).filter(
      ({ kind, target_id: target }) => kind === "changes_requested" && target === id,
    ).length;
  assert.equal(await unread(), 1);
  await act(team.owner, id, "submit", { undo: true }, 409);
  const before = JSON.stringify(await team.owner.json("GET", "/inbox"));
  const undone = await act(team.approver, id, "submit", { undo: true });
  assert.equal(JSON.stringify(await team.owner.json("GET", "/inbox")), before, "nobody is told");
  assert.deepEqual(await reviewState(id), ["pending", "in_review", false]);
  assert.equal(undone["request"], null);
  assert.equal(await unread(), 0);
  await act(team.approver, id, "submit", { undo: true }, 409);
});

test("an article can be approved and scheduled at once", async () => {
  const id = await written(team.editor, { review_state: "in_review" });
  const publish_at = "2900-01-01T00:00:00.000Z";
  await act(team.approver, id, "approve-and-schedule", { publish_at: "2001-01-01T00:00:00.000Z" }, 400);
  assert.deepEqual(await reviewState(id), ["pending", "in_review", false]);
  await act(team.approver, id, "approve-and-schedule", { publish_at });
  const { status, publish_at: at } = await line(id);
  assert.deepEqual([status, at], ["approved", publish_at]);
  await act(team.approver, id, "unschedule", {}, 404);
  await act(team.approver, id, "schedule", { publish_at: null });
  assert.equal((await line(id))["publish_at"], null);
});

test("an approver can approve their own draft, and nobody else's", async () => {
  const own = await written(team.approver);
  await act(team.approver, own, "approve");
  assert.deepEqual(await reviewState(own), ["approved", null, false]);
  const other = await written(team.editor);
  assert.ok(!((await verbs(team.approver, other)) as string[]).includes("approve"));
  await act(team.approver, other, "approve", {}, 409);
});

test("readers and receivers see nothing of a review", async () => {
  const id = await written(team.editor);
  await team.newArticle({ status: "published" });
  const look = async () => {
    const lists = await Promise.all(
      ["pending", "approved", "published"].map((status) => service.get(`/api/public/articles?status=${status}`)),
    );
    const one = await service.get(`/api/public/articles/${id}`);
    const { updatedAt, version } = (await team.stored(id)).article;
    return {
      lists: lists.map(({ headers, text }) => [headers["etag"], text]),
      one: one.status,
      sequence: await service.lastSequence(),
      updatedAt,
      version,
    };
  };
  const before = await look();
  assert.ok(!before.lists.some(([, text]) => /review|author|assignee|draft/.test(String(text))));
  const { id: assignee } = record(record(await team.editor.json("GET", "/session"))["account"]);
  const steps: [Browser, string, Json?][] = [
    [team.editor, "submit"],
    [team.editor, "withdraw"],
    [team.editor, "assign", { assignee_id: assignee }],
    [team.editor, "submit"],
    [team.approver, "request-changes", { reason: "Say more." }],
    [team.editor, "submit"],
  ];
  for (const [by, verb, more] of steps) {
    await act(by, id, verb, more);
    assert.deepEqual(await look(), before, verb);
  }
  const path = `/articles/${id}/comments`;
  const passage = { start: 0, end: 5, quote: "A text" };
  const body = { text: "Which one?", passage, replacement: "This text" };
  const { threads } = await team.editor.json("POST", path, body, 201);
  const thread = `${path}/${String(records(threads)[0]?.["id"])}`;
  await team.approver.json("POST", `${thread}/replies`, { text: "The other." }, 201);
  await team.editor.json("PATCH", thread, { text: "Which?", edited_at: null });
  assert.deepEqual(await look(), before, "a comment");
  await team.editor.json("POST", `${thread}/resolve`, {});
  await team.editor.json("POST", `${thread}/reopen`, {});
  await team.editor.json("DELETE", thread);
  assert.deepEqual(await look(), before, "a comment that is settled");
});

test("an article is assigned to somebody who may edit it", async () => {
  const id = await written(team.approver);
  const { people } = await team.viewer.json("GET", `/articles/assignees?website_id=${website.id}`);
  const names = records(people).map(({ name }) => name);
  assert.ok(names.includes("editor") && !names.includes("viewer"), String(names));
  const editor = records(people).find(({ name }) => name === "editor");
  await act(team.approver, id, "assign", { assignee_id: editor?.["id"] });
  assert.equal(record((await line(id))["assignee"])["name"], "editor");
  await act(team.approver, id, "assign", { assignee_id: "nobody" }, 400);
  await act(team.viewer, id, "assign", { assignee_id: null }, 403);
  await act(team.approver, id, "assign", { assignee_id: null });
  assert.equal((await line(id))["assignee"], null);
});

test("a website can require a second person", async () => {
  const own = await written(team.approver, { review_state: "in_review" });
  const edited = await written(team.editor, { review_state: "in_review" });
  const { version } = await team.page(edited);
  await team.approver.json("PATCH", `/articles/${edited}`, { version, changes: { title: "Changed by the approver" } });
  const live = await team.newArticle({ status: "published" });
  await assertRefused(team.approver, "PATCH", `/websites/${website.id}`, { requires_second_person: true }, 403);
  await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: true });
  try {
    for (const id of [own, edited]) {
      for (const [verb, more] of [
        ["approve", {}],
        ["approve-and-publish", {}],
        ["approve-and-schedule", { publish_at: "2900-01-01T00:00:00.000Z" }],
      ] as const) {
        assert.match(
          String((await act(team.approver, id, verb, more, 409))["message"]),
          /somebody else has to approve/,
        );
      }
      assert.ok(!((await verbs(team.approver, id)) as string[]).some((verb) => verb.startsWith("approve")));
      assert.ok(((await verbs(team.owner, id)) as string[]).includes("approve"));
      await act(team.owner, id, "approve");
    }
    // An edit by somebody who may approve does not approve itself.
    const before = await team.page(own);
    await team.approver.json("PATCH", `/articles/${own}`, {
      version: before.version,
      changes: { title: "After approval" },
    });
    assert.deepEqual(await reviewState(own), ["pending", "in_review", false]);
    // Nor does it go live: not at once, and not from a draft copy of their own.
    const changes = { title: "Live" };
    const { version: seen } = await team.page(live);
    await assertRefused(team.approver, "PATCH", `/articles/${live}`, { version: seen, as_draft: false, changes }, 403);
    const drafted = articlePage(await team.approver.json("PATCH", `/articles/${live}`, { version: seen, changes }));
    const draft = { version: drafted.version, draft_saved_at: drafted.savedAt };
    await assertRefused(team.approver, "POST", `/articles/${live}/draft/publish`, draft, 403);
    await team.owner.json("POST", `/articles/${live}/draft/publish`, draft);
    assert.equal((await team.page(live)).article["title"], "Live");
  } finally {
    await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: false });
  }
});

test("nobody whose words are in it since the last approval approves it, whoever saved last", async () => {
  await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: true });
  const save = async (by: Browser, id: string, changes: Json) => {
    const { version, savedAt } = await team.page(id);
    return by.json("PATCH", `/articles/${id}`, { version, draft_saved_at: savedAt, changes });
  };
  const publishDraft = async (by: Browser, id: string, status = 200) => {
    const { version, savedAt } = await team.page(id);
    await by.json("POST", `/articles/${id}/draft/publish`, { version, draft_saved_at: savedAt }, status);
  };
  try {
    const pending = await written(team.editor, { review_state: "in_review" });
    await save(team.approver, pending, { markdown: "Words of the approver." });
    for (let number = 0; number < 60; number++) await save(team.editor, pending, { tags: [`tag-${number}`] });
    await act(team.approver, pending, "approve", {}, 409);
    await act(team.owner, pending, "approve-and-publish");

    await save(team.approver, pending, { markdown: "New words of the approver." });
    await save(team.editor, pending, { tags: ["another"] });
    await publishDraft(team.approver, pending, 403);
    await publishDraft(team.owner, pending);
    // What was approved since is nobody's any more.
    await save(team.editor, pending, { tags: ["more"] });
    await publishDraft(team.approver, pending);
  } finally {
    await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: false });
  }
});

test("every queue has its articles, in every order, and an exact count", async () => {
  const other = await team.owner.json("POST", "/websites", { name: "Queues" }, 201);
  const website_id = String(other["id"]);
  const create = async (by: Browser, title: string, more: Json = {}) =>
    written(by, { website_id, title: `Queue ${title}`, ...more });
  const editor = await team.people.person("editor", website_id, "queues@example.com");
  const approver = await team.people.person("approver", website_id, "queues.approver@example.com");
  await create(editor, "draft");
  await create(editor, "waiting", { review_state: "in_review" });
  const requested = await create(editor, "requested", { review_state: "in_review" });
  await actOn(approver, requested, "request-changes", { reason: "x" });
  const again = await create(approver, "again", { review_state: "in_review" });
  await actOn(approver, again, "request-changes", { reason: "x" });
  await actOn(editor, again, "submit");
  const approved = await create(approver, "approved", { review_state: "in_review" });
  await actOn(approver, approved, "approve");
  const planned = await create(approver, "planned", { review_state: "in_review" });
  await actOn(approver, planned, "approve-and-schedule", { publish_at: "2900-01-01T00:00:00.000Z" });
  const live = await create(approver, "live", { review_state: "in_review" });
  await actOn(approver, live, "approve-and-publish");
  const gone = await create(approver, "gone");
  await actOn(approver, gone, "delete");
  const expected: Record<string, string[]> = {
    pending: ["again", "draft", "requested", "waiting"],
    in_review: ["waiting"],
    resubmitted: ["again"],
    with_author: ["draft", "requested"],
    mine: ["draft", "requested", "waiting"],
    approved: ["approved"],
    scheduled: ["planned"],
    published: ["live"],
    drafts: [],
    held: [],
    all: ["again", "approved", "draft", "live", "planned", "requested", "waiting"],
    trash: ["gone"],
  };
  const counts = await editor.json("GET", `/articles/counts?website_id=${website_id}`);
  for (const [view, titles] of Object.entries(expected)) {
    const shown = titles.map((title) => `Queue ${title}`);
    for (const [query, tells] of [
      ["", false],
      ["&sort=title", true],
      ["&sort=-updated_at", false],
      ["&q=queue", false],
    ] as const) {
      const page = await editor.json("GET", `/articles?website_id=${website_id}&view=${view}${query}`);
      const found = records(page["articles"]).map(({ title }) => String(title));
      assert.deepEqual(tells ? found : found.toSorted(), shown, `${view}${query}`);
      assert.equal(page["total"], shown.length);
    }
    assert.equal(counts[view], shown.length, view);
  }
  assert.deepEqual(await editor.json("GET", `/articles/counts?website_id=${website_id}&q=queue`), counts);
  // Changes that readers cannot see move articles between queues at once.
  await actOn(editor, again, "withdraw");
  const after_ = await editor.json("GET", `/articles/counts?website_id=${website_id}`);
  assert.deepEqual([after_["resubmitted"], after_["with_author"], after_["pending"]], [0, 3, 4]);
});

test("several articles are submitted, sent back and assigned at once", async () => {
  const ids = [await written(team.editor), await written(team.editor)];
  const bulk = async (by: Browser, action: string, more: Json = {}, status = 200) =>
    by.json(
      "POST",
      `/articles/bulk/${action}`,
      { website_id: website.id, articles: ids.map((id) => ({ id })), ...more },
      status,
    );
  assert.equal((await bulk(team.editor, "submit"))["done"], 2);
  assert.equal((await bulk(team.editor, "submit"))["done"], 0);
  await bulk(team.approver, "request-changes", {}, 400);
  assert.equal((await bulk(team.approver, "request-changes", { reason: "Both." }))["done"], 2);
  const { account } = await team.editor.json("GET", "/session");
  assert.equal((await bulk(team.editor, "assign", { assignee_id: record(account)["id"] }))["done"], 2);
  for (const id of ids) {
    assert.deepEqual(await reviewState(id), ["pending", "changes_requested", false]);
    assert.equal(record((await line(id))["assignee"])["name"], "editor");
  }
  const page = await team.editor.json("GET", `/articles?website_id=${website.id}&view=with_author`);
  assert.deepEqual(page["bulk"], ["assign", "label", "submit"]);
});

test("an export carries the state and the people, and its import gives them back", async () => {
  const other = await service.newWebsite({ name: "Carried" });
  const author = "editor@example.com";
  const input = (state: "draft" | "resubmitted") =>
    makeArticle({ status: "pending", reviewState: state, author, assignee: "nobody@example.com" });
  await createArticle(app, other.id, input("draft"), CHIEF);
  await createArticle(app, other.id, input("resubmitted"), CHIEF);
  const lines: string[] = [];
  for await (const text of exportArticles(app, other.id)) lines.push(text);
  const forms = lines.map((text) => record(JSON.parse(text)));
  assert.deepEqual(
    forms.map(({ review_state, author_email, assignee_email }) => [review_state, author_email, assignee_email]),
    [
      ["draft", author, null],
      ["resubmitted", author, null],
    ],
  );
  const target = await service.newWebsite({ name: "Target" });
  async function* items() {
    for (const [index, form] of forms.entries()) {
      yield {
        kind: "draft" as const,
        source: `${index}`,
        ref: `${index}`,
        input: parseArticleJson({ ...form, id: null }),
      };
    }
  }
  await importArticles(app, target.id, items(), { events: false, dryRun: false, actor: CHIEF });
  const back: unknown[] = [];
  for await (const text of exportArticles(app, target.id)) back.push({ ...record(JSON.parse(text)), id: null });
  assert.deepEqual(
    back,
    forms.map((form) => Object.assign(form, { id: null })),
  );
});

async function* threeArticles() {
  yield { kind: "draft" as const, source: "a", ref: "a", input: makeArticle() };
  yield { kind: "draft" as const, source: "b", ref: "b", input: makeArticle({ reviewState: "in_review" }) };
  yield { kind: "draft" as const, source: "c", ref: "c", input: makeArticle({ status: "published" }) };
}

test("imports can choose the state in which articles begin", async () => {
  const target = await service.newWebsite({ name: "Chosen" });
  await importArticles(app, target.id, threeArticles(), {
    events: false,
    dryRun: false,
    actor: CHIEF,
    reviewState: "draft",
  });
  const states: unknown[] = [];
  for await (const text of exportArticles(app, target.id)) states.push(record(JSON.parse(text))["review_state"]);
  assert.deepEqual(new Set(states), new Set(["draft", "in_review", null]));
});

test("of two decisions at the same time, one is refused", async () => {
  const { article } = await createArticle(app, website.id, makeArticle({ reviewState: "draft" }), CHIEF);
  const results = await Promise.allSettled([1, 2, 3].map(() => submitArticle(app, article.id, CHIEF)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
});
