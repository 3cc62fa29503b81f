/** Reviewing one article: what is shown, decided, and reported of other people's changes. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { ArticleStatus } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { updateArticle } from "../../src/operations/articles/write/articles.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { CHIEF, DAY, fullArticle, FUTURE } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { type Team, articlePage, openTeam, assertRefused, statuses } from "../helpers/team.ts";
import { publishDueArticles } from "../../src/operations/articles/write/schedule.ts";

const LATER = new Date(FUTURE + DAY).toISOString();
const PERSON_LATER = /^(.+) after you opened it\. Look at the new version, then try again\.$/;

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
afterEach(() => team.assertNoneFailed());

test("an article's page has everything that is known about it", async () => {
  const id = await team.newArticle(fullArticle({ status: "published", markdown: "## Water\n\nSoft.\n" }));
  const { all, article, version } = await team.page(id);
  const public_ = await team.service.detail(id);
  assert.deepEqual(article, public_);
  assert.equal(all["website_id"], team.service.website.id);
  assert.equal(all["source"], "markdown");
  assert.equal(all["markdown"], "## Water\n\nSoft.\n");
  assert.equal(all["author_excerpt"], "What soft water does.");
  assert.deepEqual([all["draft"], all["approval"]], [null, { is_current: true }]);
  assert.equal(all["public_url"], "https://blog.example.com/soft-water");
  const line = record(all["line"]);
  assert.equal(version, (await team.stored(id)).article.version);
  assert.deepEqual([line["has_draft"], line["deleted_at"], line["publish_at"]], [false, null, null]);
  assert.equal(line["score"], record(public_["quality_metrics"])["overall_score"]);
});

test("non-members learn nothing, and members without the role are told which one they need", async () => {
  const id = await team.newArticle({ status: "pending" });
  const other = await team.service.newWebsite({ name: "Other" });
  const stranger = await team.people.person("owner", other.id, "stranger@example.com");
  const missing = await assertRefused(
    stranger,
    "GET",
    "/articles/01a1fdf4-0000-7000-8000-000000000000",
    undefined,
    404,
  );
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["GET", "/history", undefined],
    ["GET", "/comparison", undefined],
    ["POST", "/approve", { version: 1 }],
    ["PATCH", "", { version: 1, changes: { title: "Mine" } }],
  ] as const) {
    assert.deepEqual(await assertRefused(stranger, method, `/articles/${id}${path}`, body, 404), missing, path);
  }
  const { message } = await assertRefused(team.editor, "POST", `/articles/${id}/approve`, { version: 1 }, 403);
  assert.match(message, /role approver/);
  const preview = { website_id: other.id, id, changes: { title: "Mine" } };
  await assertRefused(stranger, "POST", "/articles/preview", preview, 404);
});

interface Step {
  name: string;
  body?: Json;
  status: ArticleStatus;
  /** Of the audit log; `detail` beside the title. */
  entries: { action: string; detail?: Json }[];
}

const STEPS: readonly Step[] = [
  { name: "approve", status: "approved", entries: [{ action: "article.approved" }] },
  {
    name: "request-changes",
    body: { reason: "Too short." },
    status: "pending",
    entries: [{ action: "article.changes_requested", detail: { reason: "Too short." } }],
  },
  { name: "submit", status: "pending", entries: [{ action: "article.submitted" }] },
  {
    name: "approve-and-publish",
    status: "published",
    entries: [{ action: "article.approved" }, { action: "article.published" }],
  },
  { name: "unpublish", status: "approved", entries: [{ action: "article.unpublished" }] },
  {
    name: "schedule",
    body: { publish_at: LATER },
    status: "approved",
    entries: [{ action: "article.scheduled", detail: { publish_at: LATER } }],
  },
  { name: "schedule", body: { publish_at: null }, status: "approved", entries: [{ action: "article.unscheduled" }] },
  { name: "publish", status: "published", entries: [{ action: "article.published" }] },
  { name: "delete", status: "published", entries: [{ action: "article.deleted" }] },
  { name: "restore", status: "published", entries: [{ action: "article.restored" }] },
];

test("each decision is made, answered with the article's new state, and recorded with who made it and from where", async () => {
  const id = await team.newArticle({ title: "Decided", status: "pending" });
  const told: unknown[] = [["article.created", { title: "Decided", status: "pending" }]];
  for (const { name, body = {}, status, entries } of STEPS) {
    const { version } = await team.page(id);
    const answer = articlePage(await team.approver.json("POST", `/articles/${id}/${name}`, { version, ...body }));
    assert.equal(answer.status, status, name);
    assert.deepEqual(answer.all, (await team.page(id)).all, name);
    told.push(...entries.map(({ action, detail }) => [action, { title: "Decided", ...detail }]));
  }
  const history = (await team.history(id)).toReversed();
  assert.deepEqual(
    history.map(({ action, detail }) => [action, detail]),
    told,
  );
  for (const { by, revision } of history.slice(1)) {
    assert.equal(record(by)["name"], "approver");
    assert.equal(revision, null);
  }
  const { entries } = await team.owner.json("GET", `/audit?website_id=${team.service.website.id}`);
  const written = records(entries).filter(({ target }) => record(target)["id"] === id);
  assert.equal(written.length, told.length);
  for (const { actor, address } of written.slice(0, -1)) {
    assert.equal(record(actor)["email"], "approver@example.com");
    assert.equal(address, "127.0.0.1");
  }
});

test("invalid input is refused with the name of the field", async () => {
  const id = await team.newArticle({ status: "approved" });
  const { version } = await team.page(id);
  const post = (name: string, body: Json, status: number) =>
    assertRefused(team.owner, "POST", `/articles/${id}/${name}`, { version, ...body }, status);
  assert.equal((await post("request-changes", { reason: " " }, 400)).param, "reason");
  assert.equal((await post("request-changes", { reason: "a\0b" }, 400)).param, "reason");
  assert.equal((await post("schedule", { publish_at: "2020-01-01T00:00:00.000Z" }, 400)).param, "publish_at");
  assert.equal((await post("schedule", { publish_at: "2020-13-41T00:00:00.000Z" }, 400)).param, "publish_at");
  assert.equal((await post("schedule", { publish_at: "tomorrow" }, 400)).param, "publish_at");
  assert.match((await post("schedule", { publish_at: null }, 409)).message, /Only an article that is scheduled/);
  assert.match((await post("approve", {}, 409)).message, /this one is approved/);
  assert.match((await post("unpublish", {}, 409)).message, /Only an article that is published/);
  assert.equal((await team.page(id)).version, version);
});

describe("a concurrent change by somebody else", () => {
  const DECISIONS = STEPS.filter(({ body }) => body?.["publish_at"] !== null);

  for (const { name, body = {} } of DECISIONS) {
    test(`makes ${name} of the earlier text fail, with a message that says by whom and when`, async () => {
      const id = await team.newArticle({ status: "pending" });
      const { version } = await team.page(id);
      const changes = { title: "Theirs" };
      await team.editor.json("PATCH", `/articles/${id}`, { version, changes });
      const seen = await team.page(id);
      const path = `/articles/${id}/${name}`;
      const { message } = await assertRefused(team.approver, "POST", path, { version, ...body }, 409);
      assert.equal(PERSON_LATER.exec(message)?.[1], "editor edited this article");
      assert.deepEqual((await team.page(id)).all, seen.all);
    });
  }

  test("is named in the message", async () => {
    const words = async (act: (id: string, version: number) => Promise<unknown>, status: ArticleStatus = "pending") => {
      const id = await team.newArticle({ status });
      const { version } = await team.page(id);
      await act(id, version);
      const { message } = await assertRefused(team.owner, "POST", `/articles/${id}/delete`, { version }, 409);
      return PERSON_LATER.exec(message)?.[1] ?? message;
    };
    const { app } = team.service;
    const cli = { id: "cli", mayApprove: true };
    assert.equal(await words(by(team.approver, "approve")), "approver approved this article");
    assert.equal(await words(by(team.approver, "delete")), "approver moved this article to the trash");
    assert.equal(await words(by(team.owner, "approve")), "You approved this article in another window");
    const change = { reason: "No." };
    assert.equal(
      await words(by(team.approver, "request-changes", change), "approved"),
      "approver requested changes to this article",
    );
    assert.equal(
      await words((id) => updateArticle(app, id, { title: "X" }, cli)),
      "Somebody on the command line edited this article",
    );
    const schedule = async (id: string, version: number) => {
      await team.owner.json("POST", `/articles/${id}/schedule`, { version, publish_at: LATER });
      await publishDueArticles({ ...app, clock: () => FUTURE + 2 * DAY }, 10);
    };
    assert.equal(await words(schedule, "approved"), "The scheduler published this article");
    const nameless = await addMember(
      app,
      { email: "mail@example.com", name: "", role: "approver", websiteId: null },
      CLI_ORIGIN,
    );
    const mail = { id: nameless.member.accountId, mayApprove: true };
    assert.equal(
      await words((id) => updateArticle(app, id, { title: "X" }, mail)),
      "mail@example.com edited this article",
    );
  });

  test("leaves only one of two decisions at the same time", async () => {
    const id = await team.newArticle({ status: "pending" });
    const { version } = await team.page(id);
    const replies = await Promise.all(
      ["approve", "delete", "approve-and-publish", "approve"].map((name) =>
        team.owner.send("POST", `/articles/${id}/${name}`, { version }),
      ),
    );
    assert.deepEqual(statuses(replies), [200, 409, 409, 409]);
  });
});

describe("a receiver that reports where the article is published", () => {
  test("causes no decision or edit to fail", async () => {
    const id = await team.newArticle({ status: "published" });
    const { version } = await team.page(id);
    await receipt(id, "https://example.com/a");
    await receipt(id, "https://example.com/b");
    const changes = { title: "Mine" };
    const drafted = articlePage(await team.editor.json("PATCH", `/articles/${id}`, { version, changes }));
    assert.equal(drafted.article["platform_url"], "https://example.com/b");
    await receipt(id, "https://example.com/c");
    const live = articlePage(
      await team.approver.json("POST", `/articles/${id}/draft/publish`, { version, draft_saved_at: drafted.savedAt }),
    );
    assert.deepEqual([live.article["title"], live.article["platform_url"]], ["Mine", "https://example.com/c"]);
    await receipt(id, "https://example.com/d");
    const down = await team.approver.json("POST", `/articles/${id}/unpublish`, { version: live.version });
    assert.equal(articlePage(down).article["platform_url"], "https://example.com/d");
  });

  test("is not overwritten unseen, and hides nothing that a person did", async () => {
    const id = await team.newArticle({ status: "published" });
    const { version } = await team.page(id);
    await receipt(id, "https://example.com/a");
    const changes = { platform_url: "https://example.com/mine" };
    const { message } = await assertRefused(team.owner, "PATCH", `/articles/${id}`, { version, changes }, 409);
    assert.match(message, /has reported the URL of this article/);
    await updateArticle(team.service.app, id, { tags: ["new"] }, CHIEF);
    await receipt(id, "https://example.com/b");
    assert.match(
      (await assertRefused(team.owner, "POST", `/articles/${id}/unpublish`, { version }, 409)).message,
      /edited/,
    );
  });
});

/** Somebody's decision. */
function by(browser: Team["owner"], name: string, body: Json = {}) {
  return (id: string, version: number) => browser.json("POST", `/articles/${id}/${name}`, { version, ...body });
}

function receipt(id: string, platformUrl: string): Promise<void> {
  const { app, website } = team.service;
  const article = { websiteId: website.id, articleId: id };
  return app.store.write((db) => saveReceipt(db, app, article, { platformUrl, platformPostId: null }));
}
