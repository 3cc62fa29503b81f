/** The management API's own routes, and its forms of refusal. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, test } from "node:test";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { holdChanges } from "../helpers/hold-changes.ts";
import { assertRefusal, type Json, record, records, type Reply } from "../helpers/http.ts";
import { Machine } from "../helpers/machine.ts";
import { until } from "../helpers/until.ts";
import { openTeam } from "../helpers/team.ts";

const team = await openTeam();
const { service } = team;
const { app, website } = service;
const draft = await Machine.start(service);
const publish = await Machine.start(service, "publish");
const read = await Machine.start(service, "read");
after(async () => {
  for (const machine of [draft, publish, read]) machine[Symbol.dispose]();
  await team[Symbol.asyncDispose]();
});

let count = 0;
const unique = () => `Number ${++count}`;
/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const LOST = "Oolong stands between green and black tea, and is made from the same leaves. ".repeat(10);
const at = ({ etag }: { etag: string }) => ({ etag });
const make = (more: Json = {}) =>
  draft.article("POST", "/articles", { title: unique(), content: "<p>Some text</p>", ...more }, { status: 201 });

describe("an article", () => {
  test("is created as a draft by the token, and read", async () => {
    const made = await make({ tags: ["x"], external_id: "first" });
    const found = await read.send("GET", `/articles/${made.id}`);
    assert.equal(found.headers.etag, `"${made.etag}"`);
    const article = record(record(found.json())["article"]);
    const { allowed, ...same } = made;
    assert.deepEqual({ ...article, allowed }, { ...same, allowed });
    assert.deepEqual(
      [
        "state",
        "external_id",
        "source",
        "markdown",
        "draft",
        "request",
        "removal_request",
        "publication_request",
        "removed",
        "loss",
      ].map((name) => article[name]),
      ["draft", "first", "html", "Some text\n", null, null, null, null, [], null],
    );
    assert.deepEqual(article["allowed"], []);
    assert.deepEqual(allowed, ["edit", "assign", "submit"]);
    assert.deepEqual(await draft.article("GET", "/articles/by-external-id/first"), made);
  });

  test("is patched: what is absent stays, and null clears", async () => {
    const made = await make({ meta_title: "Meta", tags: ["x"] });
    const weak = { headers: { "If-Match": `W/"${made.etag}"` } };
    const patched = await draft.article("PATCH", `/articles/${made.id}`, { meta_title: null, title: "New" }, weak);
    assert.deepEqual([patched["title"], patched["meta_title"], patched["tags"]], ["New", null, ["x"]]);
    assert.notEqual(patched.etag, made.etag);
    let current = patched;
    for (const content of ["<p>Short</p>", `<p>${"long".repeat(10_000)}</p>`]) {
      const headers = { "If-Match": current.etag, "Content-Type": "application/merge-patch+json" };
      const given = { content, excerpt: null };
      current = await draft.article("PATCH", `/articles/${made.id}?accept_loss=true`, given, { headers });
      assert.equal(current["content"], content);
    }
  });

  test("that was answered can be sent back, and changes nothing", async () => {
    for (const text of [{ content: "<p>Some text</p>" }, { content: undefined, markdown: "Some *text*" }]) {
      const made = await make({ ...text, internal_links: [{ text: "a", url: "/a" }] });
      const { id, etag } = made;
      const again = await draft.article("PATCH", `/articles/${id}`, made, { etag });
      assert.deepEqual(again, made);
    }
  });

  test("that is published is changed in its draft copy, which somebody publishes", async () => {
    const made = await make();
    const submitted = await draft.article("POST", `/articles/${made.id}/submit`, undefined, at(made));
    assert.equal(submitted["state"], "in_review");
    const live = await publish.article("POST", `/articles/${made.id}/approve-and-publish`, {}, at(submitted));
    const title = unique();
    const drafted = await draft.article("PATCH", `/articles/${made.id}`, { title }, at(live));
    assert.deepEqual([drafted["title"], record(drafted["draft"])["changes"]], [made["title"], { title }]);
    const back = await draft.article("PATCH", `/articles/${made.id}`, { title: made["title"] }, at(drafted));
    assert.deepEqual(record(back["draft"])["changes"], { title: made["title"] });
    const again = await draft.article("PATCH", `/articles/${made.id}`, { title }, at(back));
    const stale = await publish.send("POST", `/articles/${made.id}/draft/publish`, {}, at(drafted));
    assert.equal(stale.status, 412, stale.text);
    const updated = await publish.article("POST", `/articles/${made.id}/draft/publish`, {}, at(again));
    assert.deepEqual([updated["title"], updated["draft"], updated["state"]], [title, null, "published"]);
  });

  test("that a machine changes is never approved by it", async () => {
    const made = await make();
    const submitted = await draft.article("POST", `/articles/${made.id}/submit`, {}, at(made));
    const approved = await publish.article("POST", `/articles/${made.id}/approve`, {}, at(submitted));
    const patched = await publish.article("PATCH", `/articles/${made.id}`, { title: unique() }, at(approved));
    assert.equal(patched["state"], "in_review");
  });

  test("says what its text lost", async () => {
    const made = await make({ content: "<p onclick='x()'>Some text</p>" });
    assert.deepEqual(made["removed"], ["onclick on <p>"]);
    assert.deepEqual((await draft.article("GET", `/articles/${made.id}`))["removed"], []);
    const content = `<p>Some text</p><iframe src="https://www.youtube.com/embed/x"><p>${LOST}</p></iframe>`;
    const path = `/articles/${made.id}`;
    const refused = await draft.send("PATCH", path, { content }, at(made));
    assert.equal(refused.status, 422, refused.text);
    assertRefusal(refused, 422, {
      error: "Unprocessable Entity",
      code: "loss",
      message:
        "99 % of the text would be lost (630 of 638 characters), first after “Some text”: “Oolong stands between green and black tea, and is made from the…”. " +
        "Probably an element is left open there or holds text that an article cannot hold, or a row of a Markdown table " +
        "has more cells than its header. Correct it, or say that the text may go: accept_loss=true in the address.",
      param: "accept_loss",
    });
    const accepted = await draft.article("PATCH", `${path}?accept_loss=true`, { content }, at(made));
    assert.equal(record(accepted["loss"])["total"], 638);
  });

  test("is deleted and restored, and people are asked to delete it", async () => {
    const made = await make();
    const path = `/articles/${made.id}`;
    const asked = await draft.article("POST", `${path}/removal-request`, { reason: "Its file is gone" });
    const { reason, by } = record(asked["removal_request"]);
    assert.deepEqual([reason, record(by)["name"]], ["Its file is gone", "A draft machine"]);
    assert.ok(JSON.stringify(await team.approver.json("GET", "/inbox")).includes("Its file is gone"));
    await draft.article("POST", `${path}/removal-request`, { reason: "Its file is gone" });
    assert.deepEqual(await team.actions(made.id), ["article.created", "article.removal_requested"]);
    assert.equal((await draft.send("DELETE", path, undefined, at(asked))).status, 403);
    const deleted = await publish.article("DELETE", path, undefined, at(asked));
    assert.deepEqual([deleted["state"], deleted["removal_request"], deleted["allowed"]], ["trash", null, ["restore"]]);
    assert.equal((await publish.article("POST", `${path}/restore`, {}, at(deleted)))["state"], "draft");
  });

  test("stays if people decline to delete it, and the machine hears of it", async () => {
    const made = await make();
    const path = `/articles/${made.id}`;
    await draft.article("POST", `${path}/removal-request`, { reason: "Its file is gone" });
    const asked = record((await team.approver.json("GET", path))["removal_request"]);
    assert.deepEqual([asked["reason"], record(asked["by"])["name"]], ["Its file is gone", "A draft machine"]);
    const { status } = await team.editor.send("POST", `${path}/removal-request/decline`, { at: asked["at"] });
    assert.equal(status, 403);
    await draft.article("POST", `${path}/removal-request`, { reason: "Its folder is gone, too" });
    const stale = await team.approver.send("POST", `${path}/removal-request/decline`, { at: asked["at"] });
    assert.equal(stale.status, 409);
    const { at: later } = record((await team.approver.json("GET", path))["removal_request"]);
    const declined = await team.approver.json("POST", `${path}/removal-request/decline`, { at: later });
    assert.equal(declined["removal_request"], null);
    assert.equal((await draft.article("GET", path))["removal_request"], null);
    assert.ok((await team.actions(made.id)).includes("article.removal_declined"));
  });

  test("of a long text is written by the dashboard's thread, with the same checks", async () => {
    const markdown = `${"word ".repeat(20_000)}\n`;
    const key = "long";
    const made = await draft.article("POST", "/articles", { title: unique(), markdown }, { status: 201, key });
    assert.equal(made["word_count"], 20_000);
    const again = await draft.send("POST", "/articles", { title: made["title"], markdown }, { key });
    assert.deepEqual([again.status, again.headers["idempotency-replayed"]], [201, "true"]);
    const path = `/articles/${made.id}`;
    assert.equal((await draft.send("PATCH", path, { markdown })).status, 428);
    const unknown = await draft.send("PATCH", path, { markdown, body: "" }, at(made));
    assert.deepEqual([unknown.status, record(unknown.json())["param"]], [400, "body"]);
    const patched = await draft.article("PATCH", path, { markdown: `more ${markdown}` }, at(made));
    assert.equal(patched["word_count"], 20_001);
  });
});

test("lists have exact totals, and filters", async () => {
  const tag = unique();
  const made: Json[] = [];
  for (let index = 0; index < 5; index++) made.push(await make({ tags: [tag], external_id: `list-${index}` }));
  const [first, second] = made;
  await draft.article("POST", `/articles/${String(first?.["id"])}/submit`, {}, { etag: "*" });
  await publish.article("DELETE", `/articles/${String(second?.["id"])}`, undefined, { etag: "*" });
  const list = async (query: string) => {
    const { articles: found, total } = await read.json("GET", `/articles?tag=${encodeURIComponent(tag)}&${query}`);
    return [total, ...records(found).map((one) => one["external_id"])];
  };
  assert.deepEqual(await list("limit=2"), [4, "list-4", "list-3"]);
  assert.deepEqual(await list("limit=2&offset=3&sort=created_at"), [4, "list-4"]);
  assert.deepEqual(await list("state=in_review"), [1, "list-0"]);
  assert.deepEqual(await list("state=draft"), [3, "list-4", "list-3", "list-2"]);
  assert.deepEqual(await list("state=changes_requested"), [0]);
  assert.deepEqual(await list("state=trash"), [1, "list-1"]);
  assert.deepEqual(await list("external_id=list-3"), [1, "list-3"]);
  assert.deepEqual(await list("external_id=none"), [0]);
  assert.deepEqual(await list(`updated_since=${String(made[4]?.["updated_at"])}`), [1, "list-4"]);
  assert.deepEqual(await list("offset=100"), [4]);
  const { articles: found } = await read.json("GET", "/articles?external_id=list-2");
  const [snippet] = records(found);
  const whole: Json = await draft.article("GET", `/articles/${String(snippet?.["id"])}`);
  assert.deepEqual(snippet, Object.fromEntries(Object.keys(snippet ?? {}).map((name) => [name, whole[name]])));
});

const put = (id: string, body: Json, options = {}) =>
  draft.json("PUT", `/articles/by-external-id/${id}`, body, options);

describe("PUT by external id", () => {
  test("creates, updates, leaves unchanged and holds", async () => {
    const article = { title: unique(), markdown: "Text" };
    const created = await put("put%2F1", article, { status: 201 });
    assert.deepEqual([created["outcome"], record(created["article"])["external_id"]], ["created", "put/1"]);
    assert.equal(record(created["article"])["state"], "in_review");
    assert.equal((await put("put%2F1", article))["outcome"], "unchanged");
    assert.equal((await put("put%2F1", { ...article, tags: ["x"] }))["outcome"], "updated");
    const id = String(record(created["article"])["id"]);
    await articles.updateArticle(app, id, { title: "People's" }, CHIEF);
    const held = await put("put%2F1", { ...article, title: "Machine's" });
    assert.deepEqual([held["outcome"], held["held_fields"]], ["held", ["title"]]);
    const path = "/articles/by-external-id/put%2F1?overwrite=true";
    const body = { ...article, title: "Machine's" };
    assertRefusal(await draft.send("PUT", path, body), 403, {
      error: "Forbidden",
      code: "forbidden",
      message: "This requires an access token of the scope publish; the scope of this one is draft.",
    });
    const over = await publish.json("PUT", path, body);
    assert.deepEqual([over["outcome"], record(over["article"])["title"]], ["updated", "Machine's"]);
  });

  test("publishes nothing, whatever the article says", async () => {
    const body = { title: unique(), markdown: "x", status: "published", review_state: "draft" };
    const created = await publish.json("PUT", "/articles/by-external-id/wish", body, { status: 201 });
    const { state, publication_request: asked } = record(created["article"]);
    assert.equal(state, "draft");
    assert.deepEqual(Object.keys(record(asked)).toSorted(), ["at", "by"]);
    const id = String(record(created["article"])["id"]);
    await articles.submitArticle(app, id, CHIEF);
    await articles.approveAndPublishArticle(app, id, CHIEF);
    const live = await publish.article("GET", "/articles/by-external-id/wish");
    assert.deepEqual([live["state"], live["publication_request"]], ["published", null]);
  });
});

describe("Idempotency-Key", () => {
  test("a repeat answers the first status with the article as it is now", async () => {
    const body = { title: unique(), markdown: "x" };
    const made = await draft.article("POST", "/articles", body, { status: 201, key: "create" });
    await articles.updateArticle(app, made.id, { title: "People's" }, CHIEF);
    const again = await draft.send("POST", "/articles", body, { key: "create" });
    assert.equal(again.status, 201);
    assert.equal(again.headers["idempotency-replayed"], "true");
    const { id, title } = record(record(again.json())["article"]);
    assert.deepEqual([id, title], [made.id, "People's"]);
    // The key is the token's.
    const other = await publish.article("POST", "/articles", body, { status: 201, key: "create" });
    assert.notEqual(other.id, made.id);
  });

  test("a patch, a verb and a comment are made once", async () => {
    const made = await make();
    const path = `/articles/${made.id}`;
    const patched = await draft.article("PATCH", path, { title: "New" }, { etag: made.etag, key: "patch" });
    assert.deepEqual(await draft.article("PATCH", path, { title: "New" }, { etag: made.etag, key: "patch" }), patched);
    for (let time = 0; time < 2; time++) {
      await draft.article("POST", `${path}/submit`, {}, { etag: patched.etag, key: "submit" });
      const { threads } = await draft.json(
        "POST",
        `${path}/comments`,
        { text: "Hello", passage: null },
        { key: "comment", status: 201 },
      );
      assert.equal(records(threads).length, 1);
    }
    assert.deepEqual(await team.actions(made.id), [
      "article.created",
      "article.edited",
      "article.submitted",
      "article.commented",
    ]);
  });

  test("a client that goes before the answer may repeat until the first request has ended", async () => {
    for (let time = 0; time < 10; time++) {
      const body = { title: unique(), markdown: "x" };
      const key = `gone ${time}`;
      const gone = draft.open("/articles", "application/json", key);
      gone.on("error", () => undefined);
      gone.end(JSON.stringify(body));
      await new Promise((resolve) => setTimeout(resolve, time));
      gone.destroy();
      const replies = await Promise.all([1, 2].map(() => draft.send("POST", "/articles", body, { key })));
      assert.ok(replies.every(({ status }) => status === 201 || status === 409));
      await until(
        "the first has ended",
        async () => (await draft.send("POST", "/articles", body, { key })).status !== 409,
      );
      await draft.article("POST", "/articles", body, { key, status: 201 });
      const { total } = await draft.json("GET", `/articles?q=${encodeURIComponent(body.title)}`);
      assert.equal(total, 1);
    }
  });

  test("a repeat that was let in before the first request had ended is answered like that, and not as stale", async () => {
    const made = await make();
    const path = `/articles/${made.id}/submit`;
    const others = async () => {
      for (let time = 0; time < 3; time++) await draft.json("GET", "/me");
    };
    let again: Promise<Reply>;
    {
      await using _held = await holdChanges(app, website.id);
      const gone = draft.open(path, "application/json", "left");
      gone.setHeader("If-Match", `"${made.etag}"`);
      gone.on("error", () => undefined);
      gone.end("{}");
      await once(gone, "finish");
      await others();
      gone.destroy();
      await others();
      again = draft.send("POST", path, {}, { etag: made.etag, key: "left" });
      await others();
    }
    const { status, headers, text } = await again;
    assert.deepEqual([status, headers["idempotency-replayed"]], [200, "true"], text);
    assert.equal((await draft.article("GET", `/articles/${made.id}`))["state"], "in_review");
  });

  test("a picture's alternative text is changed as often as it is sent", async () => {
    const png = Buffer.from(PNG, "base64");
    const reply = await draft.upload("/assets?name=a.png", png);
    assert.equal(reply.status, 200, reply.text);
    const { id } = record(reply.json());
    for (const alt of ["A", "B"]) {
      const { alt: now } = await draft.json("PATCH", `/assets/${String(id)}`, { alt }, { key: "alt" });
      assert.equal(now, alt);
    }
  });

  test("a request that had nothing to change is done, too", async () => {
    const made = await make();
    const path = `/articles/${made.id}`;
    const same = { title: made["title"] };
    await draft.article("PATCH", path, same, { etag: made.etag, key: "nothing" });
    await articles.updateArticle(app, made.id, { title: "People's" }, CHIEF);
    const again = await draft.send("PATCH", path, same, { etag: made.etag, key: "nothing" });
    assert.deepEqual([again.status, again.headers["idempotency-replayed"]], [200, "true"]);
  });

  test("another request under the same key is refused, and one that failed may be repeated", async () => {
    await draft.article("POST", "/articles", { title: unique(), markdown: "x" }, { status: 201, key: "reused" });
    assertRefusal(await draft.send("POST", "/articles", { title: "Other", markdown: "x" }, { key: "reused" }), 422, {
      error: "Unprocessable Entity",
      code: "idempotency_key_reused",
      message: "Another request had this Idempotency-Key; make a new one for each request.",
      param: "Idempotency-Key",
    });
    assert.equal((await draft.send("POST", "/articles", { title: "" }, { key: "failed" })).status, 400);
    await draft.article("POST", "/articles", { title: unique(), markdown: "x" }, { status: 201, key: "failed" });
    // Long, so that the dashboard's thread refuses it.
    const content = `<p>Some text</p><iframe src="https://www.youtube.com/embed/x"><p>${LOST.repeat(60)}</p></iframe>`;
    for (let time = 0; time < 2; time++) {
      const lossy = await draft.send("POST", "/articles", { title: "x", content }, { key: "lossy" });
      assert.equal(lossy.status, 422, lossy.text);
    }
    const long = await draft.send("POST", "/articles", { title: "x" }, { key: "k".repeat(201) });
    assert.deepEqual([long.status, record(long.json())["param"]], [400, "Idempotency-Key"]);
  });

  test("of two at the same time one is done, and the other is told to wait", async () => {
    const body = { title: unique(), markdown: "x" };
    const replies = await Promise.all([1, 2].map(() => draft.send("POST", "/articles", body, { key: "twice" })));
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    const waiting = replies.find(({ status }) => status === 409);
    if (waiting !== undefined) {
      assert.equal(waiting.headers["retry-after"], "1");
      assertRefusal(waiting, 409, {
        error: "Conflict",
        code: "under_way",
        message: "The first request with this Idempotency-Key is still under way; repeat this one in a second.",
        param: "Idempotency-Key",
      });
    }
    assert.ok(statuses[0] === 201, String(statuses));
    const { total } = await draft.json("GET", `/articles?q=${encodeURIComponent(body.title)}`);
    assert.equal(total, 1);
  });
});

test("feedback says what others did, oldest first, once two seconds have passed", async () => {
  await app.store.write((db) => db.run("UPDATE audit_log SET at = at - 60000"));
  const { next } = await draft.json("GET", "/feedback?limit=100");
  const made = await make({ external_id: "fed" });
  await draft.article("POST", `/articles/${made.id}/submit`, {}, { etag: "*" });
  const page = await team.page(made.id);
  const { threads } = await team.approver.json(
    "POST",
    `/articles/${made.id}/comments`,
    { text: "Which one?", passage: null },
    201,
  );
  const comments = records(threads).map(({ id }) => String(id));
  const body = { version: page.version, reason: "Say which", comments };
  await team.approver.json("POST", `/articles/${made.id}/request-changes`, body);
  const article = await draft.article("GET", `/articles/${made.id}`);
  assert.deepEqual(
    [article["state"], record(article["request"])["reason"], record(article["request"])["comments"]],
    ["changes_requested", "Say which", 1],
  );
  const waiting = await draft.json("GET", `/feedback?after=${String(next)}`);
  assert.deepEqual(waiting, { feedback: [], next });
  await app.store.write((db) => db.run("UPDATE audit_log SET at = at - 3000 WHERE target_id = ?", made.id));
  const { feedback, next: after } = await draft.json("GET", `/feedback?after=${String(next)}`);
  const found = records(feedback).filter((one) => record(one["article"])["id"] === made.id);
  assert.deepEqual(
    found.map(({ kind, reason, text, comments: sent }) => [
      kind,
      reason,
      text,
      records(sent).map((one) => one["text"]),
    ]),
    [
      ["commented", null, "Which one?", []],
      ["changes_requested", "Say which", null, ["Which one?"]],
    ],
  );
  assert.equal(record(found[0]?.["article"])["external_id"], "fed");
  const none = await draft.send("GET", `/feedback?after=${String(after)}`);
  assert.deepEqual(record(none.json()), { feedback: [], next: after });
  assert.equal(none.headers["retry-after"], "30");
});

test("a token learns who it is", async () => {
  const { token, website: mine, limits } = await draft.json("GET", "/me");
  const { name, scope } = record(token);
  assert.deepEqual([name, scope, record(mine)["id"]], ["A draft machine", "draft", website.id]);
  assert.deepEqual(limits, {
    requests_per_second: 20,
    burst: 40,
    article_bytes: 10 * 1024 * 1024,
    batch_bytes: 200_000_000,
    batches_at_once: 2,
    idempotency_hours: 24,
  });
});

describe("refusals", () => {
  test("400 names what is wrong", async () => {
    const made = await make();
    assertRefusal(await draft.send("POST", "/articles", { title: "x", tittle: "x" }), 400, {
      error: "Bad Request",
      code: "invalid",
      message: "There is no tittle in this request; leave it out, or correct its name.",
      param: "tittle",
    });
    assertRefusal(await draft.send("GET", "/articles?page=2"), 400, {
      error: "Bad Request",
      code: "invalid",
      message: "There is no page in this request; leave it out, or correct its name.",
      param: "page",
    });
    assertRefusal(await draft.send("PATCH", `/articles/${made.id}`, { version: 1 }, at(made)), 400, {
      error: "Bad Request",
      code: "invalid",
      message: "There is no version in this request; leave it out, or correct its name.",
      param: "version",
    });
    assertRefusal(await draft.send("POST", `/articles/${made.id}/submit`, { version: 1 }, at(made)), 400, {
      error: "Bad Request",
      code: "invalid",
      message: "version is no field of this request: the header If-Match has the etag.",
      param: "version",
    });
    assertRefusal(await draft.send("PATCH", `/articles/${made.id}`, { title: "y" }, { etag: "yesterday" }), 400, {
      error: "Bad Request",
      code: "invalid",
      message: "If-Match must be the etag of the article, or *.",
      param: "If-Match",
    });
    assertRefusal(await draft.send("PATCH", `/articles/${made.id}`, { status: "published" }, at(made)), 400, {
      error: "Bad Request",
      code: "invalid",
      message:
        "An update cannot change the status (it is pending); use approve, request-changes, publish or unpublish.",
      param: "status",
    });
    assertRefusal(await draft.send("PATCH", `/articles/${made.id}`, { tags: 3 }, at(made)), 400, {
      error: "Bad Request",
      code: "invalid",
      message: "body/tags must be array.",
      param: "tags",
    });
    const broken = await draft.send("POST", "/articles", '{"title": ', {
      headers: { "Content-Type": "application/json" },
    });
    assert.deepEqual([broken.status, record(broken.json())["code"]], [400, "invalid"]);
  });

  test("403, 404 and 405", async () => {
    const foreign = (await service.newWebsite()).id;
    const { article } = await articles.createArticle(app, foreign, makeArticle(), CHIEF);
    assertRefusal(await read.send("POST", "/articles", { title: "x" }), 403, {
      error: "Forbidden",
      code: "forbidden",
      message: "This requires an access token of the scope draft; the scope of this one is read.",
    });
    assertRefusal(await read.send("GET", `/articles/${article.id}`), 404, {
      error: "Not Found",
      code: "not_found",
      message: "There is no article with this id; it may have been deleted.",
    });
    assertRefusal(await read.send("GET", "/articles/by-external-id/nobodys"), 404, {
      error: "Not Found",
      code: "not_found",
      message: "There is no article with this external_id; PUT one to this address.",
    });
    assertRefusal(await read.send("GET", "/members"), 404, {
      error: "Not Found",
      code: "not_found",
      message: "There is no such route; the documentation is at /docs.",
    });
    const wrong = await read.send("PUT", `/articles/${article.id}?x=1`, { title: "x" });
    assertRefusal(wrong, 405, {
      error: "Method Not Allowed",
      code: "method_not_allowed",
      message: "There is no PUT at this address: use DELETE, GET, HEAD, PATCH.",
    });
    assert.equal(wrong.headers.allow, "DELETE, GET, HEAD, PATCH");
    assert.equal((await read.send("DELETE", "/me")).headers.allow, "GET, HEAD");
  });

  test("409 says what the state allows", async () => {
    const made = await make();
    assertRefusal(await publish.send("POST", `/articles/${made.id}/publish`, {}, at(made)), 409, {
      error: "Conflict",
      code: "conflict",
      message: "Only an article that is approved or scheduled can be published; this one is a draft.",
      state: "draft",
      allowed: ["edit", "assign", "submit", "delete"],
    });
    assertRefusal(await draft.send("DELETE", `/articles/${made.id}/draft`, undefined, at(made)), 409, {
      error: "Conflict",
      code: "conflict",
      message: "This article has no draft copy.",
      state: "draft",
      allowed: ["edit", "assign", "submit"],
    });
    const same = await make({ external_id: "same" });
    assertRefusal(await draft.send("POST", "/articles", { title: "x", markdown: "x", external_id: "same" }), 409, {
      error: "Conflict",
      code: "conflict",
      message: "There is an article with this external_id already: change that one.",
      param: "external_id",
    });
    assertRefusal(await draft.send("POST", "/articles", { title: "x", markdown: "x", id: same.id }), 409, {
      error: "Conflict",
      code: "conflict",
      message: `There is an article with the id ${same.id} already.`,
      param: "id",
    });
  });

  test("412 says who changed it, and when", async () => {
    const made = await make();
    await updateWebsite(app, website.id, { name: "W" }, CLI_ORIGIN);
    const page = await team.page(made.id);
    await team.editor.json("PATCH", `/articles/${made.id}`, { version: page.version, changes: { title: "Theirs" } });
    const now = await draft.article("GET", `/articles/${made.id}`);
    for (const [method, path, body] of [
      ["PATCH", `/articles/${made.id}`, { title: "Mine" }],
      ["POST", `/articles/${made.id}/submit`, {}],
    ] as const) {
      assertRefusal(await draft.send(method, path, body, at(made)), 412, {
        error: "Precondition Failed",
        code: "stale",
        message:
          "The article has changed since the version that If-Match names: read it again, then repeat the change.",
        etag: now.etag,
        changed_by: "editor",
        changed_at: now["updated_at"],
      });
    }
    const patched = await draft.article("PATCH", `/articles/${made.id}`, { title: "Mine" }, { etag: "*" });
    assert.equal(patched["title"], "Mine");
  });

  test("413, 415, 428 and 429", async () => {
    const made = await make();
    const path = `/articles/${made.id}`;
    assertRefusal(await draft.send("PATCH", path, { title: "x" }), 428, {
      error: "Precondition Required",
      code: "precondition_required",
      message: "Name the version of the article that you saw in the header If-Match: its etag, or * for any.",
      param: "If-Match",
    });
    assertRefusal(await draft.send("POST", `${path}/submit`), 428, {
      error: "Precondition Required",
      code: "precondition_required",
      message: "Name the version of the article that you saw in the header If-Match: its etag, or * for any.",
      param: "If-Match",
    });
    assertRefusal(
      await draft.send("POST", "/articles", "<p>x</p>", { headers: { "Content-Type": "text/html" } }),
      415,
      {
        error: "Unsupported Media Type",
        code: "unsupported_media_type",
        message: "Send JSON, with the header Content-Type: application/json.",
      },
    );
    const compressed = {
      error: "Unsupported Media Type",
      code: "unsupported_media_type",
      message: "Send the body as it is, without the header Content-Encoding.",
    };
    const headers = { "Content-Encoding": "gzip" };
    assertRefusal(await draft.send("POST", "/articles", { title: "x" }, { headers }), 415, compressed);
    assertRefusal(await draft.send("POST", "/articles/batch", "{}", { headers }), 415, compressed);
    const large = await draft.send("POST", "/articles", { title: "x", content: "x".repeat(17 * 1024 * 1024) });
    assertRefusal(large, 413, {
      error: "Payload Too Large",
      code: "too_large",
      message: "This is too long: an article has at most 10 MB of text.",
    });
    using busy = await Machine.start(service, "read");
    const replies = await Promise.all(Array.from({ length: 200 }, () => busy.sendOnce("GET", "/me")));
    const limited = replies.find(({ status }) => status === 429);
    assert.ok(limited !== undefined);
    assert.match(String(limited.headers["retry-after"]), /^\d+$/);
    assertRefusal(limited, 429, {
      error: "Too Many Requests",
      code: "too_many_requests",
      message: "Too many attempts: wait 1 second, then try again.",
    });
  });
});
