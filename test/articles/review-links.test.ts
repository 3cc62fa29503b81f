/** Review links: somebody without an account reviews exactly one text, and nothing else. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { updateArticle } from "../../src/operations/articles/write/articles.ts";
import { commentAsGuest, listGuestThreads, replyAsGuest } from "../../src/operations/articles/review/guest-comments.ts";
import {
  createReviewLink,
  decideAsGuest,
  readGuestReview,
  revokeReviewLink,
} from "../../src/operations/articles/review/review-links.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { CHIEF } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { cases, IS_THOROUGH } from "../helpers/properties.ts";
import type { Browser } from "../people/dashboard.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { articlePage, assertRefused, openTeam, statuses, type Team } from "../helpers/team.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
afterEach(() => team.assertNoneFailed());

const share = async (id: string, body: Json = {}, browser = team.approver) => {
  const made = await browser.json("POST", `/articles/${id}/review-links`, body, 201);
  return { token: String(made["token"]), link: String(record(made["link"])["id"]) };
};
const guest = () => team.people.browser();
const open = (token: string, status = 200) => guest().json("POST", "/guest-review", { token }, status);
const decide = async (token: string, body: Json, status = 204) => {
  const reply = await guest().send("POST", "/guest-review/decision", { token, name: "Maria", ...body });
  assert.equal(reply.status, status, reply.text);
  return reply.text;
};

const GUEST = "Maria, guest invited by approver";
const write = async (path: string, token: string, body: Json, status: number) => {
  const reply = await guest().send("POST", `/guest-review/${path}`, { token, name: "Maria", ...body });
  assert.equal(reply.status, status, reply.text);
};
const say = (token: string, body: Json, status = 204) => write("comments", token, body, status);
const reply = (token: string, body: Json, status = 204) => write("replies", token, body, status);
const notices = async (person: Browser) => records((await person.json("GET", "/inbox"))["notifications"]);

describe("a review link", () => {
  test("shows one text to somebody without an account, who approves it in their own name", async () => {
    const id = await team.newArticle({ title: "Tides", content: "<p>High at noon.</p>" });
    const { token } = await share(id, { label: "Maria of the harbour" });
    assert.match(token, /^[\w-]{43}$/);
    const found = await open(token);
    assert.deepEqual(
      [record(found["article"])["content"], found["sender"], found["decisions"], found["decision"]],
      ["<p>High at noon.</p>", "approver", ["approve", "request-changes"], null],
    );
    await decide(token, { decision: "approve", name: "" }, 400);
    await decide(token, { decision: "approve" });
    const { status } = await team.page(id);
    assert.equal(status, "approved");
    const [entry] = await team.history(id);
    assert.equal(record(entry?.["by"])["name"], "Maria, guest invited by approver");
    assert.deepEqual(record(entry?.["detail"])["guest"], "Maria");
    const log = records((await team.owner.json("GET", `/audit?website_id=${team.service.website.id}`))["entries"]);
    assert.equal(record(log[0]?.["actor"])["name"], "Maria, guest invited by approver");
    assert.deepEqual(
      [(await open(token))["decision"], (await open(token))["decisions"]],
      ["approve", ["request-changes"]],
    );
    assert.equal(await tokenIsStored(token), false);
  });

  test("takes a request for changes, and no decision about a text that has changed since", async () => {
    const id = await team.newArticle({ content: "<p>High at noon.</p>" });
    const { token } = await share(id);
    await decide(token, { decision: "request-changes" }, 400);
    await decide(token, { decision: "request-changes", reason: "Which harbour?" });
    const { all } = await team.page(id);
    assert.equal(record(all["request"])["reason"], "Which harbour?");
    assert.equal(record(record(all["request"])["by"])["name"], "Maria, guest invited by approver");
    const { version } = articlePage(all);
    await team.editor.json("PATCH", `/articles/${id}`, { version, changes: { content: "<p>At one.</p>" } });
    const found = await open(token);
    assert.deepEqual([found["article"], found["decisions"]], [null, []]);
    assert.match(await decide(token, { decision: "approve" }, 409), /has changed since this link was sent/);
  });

  test("shows who decided by it, to everybody else who has it", async () => {
    const id = await team.newArticle();
    const { token } = await share(id);
    const names = async () => (await team.history(id)).slice(0, -1).map((entry) => record(entry["by"])["name"]);
    await decide(token, { decision: "request-changes", name: "Bob" }, 400);
    await decide(token, { decision: "approve" });
    const before = await names();
    await decide(token, { decision: "approve", name: "Bob" }, 409);
    assert.match(
      await decide(token, { decision: "request-changes", name: "Bob", reason: "No." }, 409),
      /Somebody else/,
    );
    assert.deepEqual([await names(), before.includes("Maria, guest invited by approver")], [before, true]);
    await decide(token, { decision: "request-changes", reason: "On second thoughts." });
  });

  test("takes comments, which members answer; the guest sees only their own threads", async () => {
    const id = await team.newArticle({ title: "Tides", content: "<p>High at noon, low at six.</p>" });
    const secret = await team.editor.json(
      "POST",
      `/articles/${id}/comments`,
      { text: "Between us.", passage: null },
      201,
    );
    assert.equal(records(secret["threads"]).length, 1);
    const { token } = await share(id);
    const other = await share(id);
    assert.deepEqual([(await open(token))["threads"], (await open(token))["name"]], [[], null]);
    const quote = "low at six";
    const start = "Highatnoon,".length;
    const passage = { start, end: start + "lowatsix".length, quote };
    const editorId = String(record((await team.editor.json("GET", "/session"))["account"])["id"]);
    await say(token, { text: `<@${editorId}> <img src=x onerror=alert(1)>`, passage });
    await say(token, { text: "Fine.", passage: null });
    await say(token, { text: "Elsewhere", passage: { ...passage, quote: "high at six" } }, 409);
    await say(token, { text: " ", passage: null }, 400);
    await say(token, { text: "x", passage: null, name: " " }, 400);
    await say(token, { text: "x".repeat(2_001), passage: null }, 400);
    await say(token, { text: "x", passage: null, name: "Bob" }, 409);

    const listed = records((await team.editor.json("GET", `/articles/${id}/comments`))["threads"]);
    assert.deepEqual(
      listed.map((thread) => records(thread["comments"]).map((one) => [record(one["by"])["name"], one["is_guest"]])),
      [[["editor", false]], [[GUEST, true]], [[GUEST, true]]],
    );
    const [, first] = listed;
    const [comment] = records(first?.["comments"]);
    assert.deepEqual([first?.["quote"], comment?.["mentions"]], [quote, []]);
    const told = await notices(team.approver);
    assert.ok(
      told.some(({ kind, sentence }) => kind === "comment" && String(sentence).startsWith(GUEST)),
      JSON.stringify(told),
    );
    assert.ok(!(await notices(team.editor)).some(({ kind }) => kind === "mention"), "guests mention nobody");

    const thread = String(first?.["id"]);
    await team.editor.json("POST", `/articles/${id}/comments/${thread}/replies`, { text: "At seven, then." }, 201);
    await team.editor.json("POST", `/articles/${id}/comments/${thread}/resolve`, {});
    await team.editor.json("POST", `/articles/${id}/comments/${thread}/reopen`, {});
    const found = await open(token);
    assert.equal(found["name"], "Maria");
    assert.deepEqual(
      records(found["threads"]).map((one) =>
        records(one["comments"]).map(({ name, is_own, text }) => [name, is_own, text]),
      ),
      [
        [
          ["Maria", true, "@somebody <img src=x onerror=alert(1)>"],
          ["editor", false, "At seven, then."],
        ],
        [["Maria", true, "Fine."]],
      ],
    );
    await reply(token, { text: "Good.", thread });
    await reply(token, { text: "Who?", thread: String(listed[0]?.["id"]) }, 404);
    await reply(other.token, { text: "Me, too", thread }, 404);
    assert.deepEqual((await open(other.token))["threads"], []);

    await assertRefused(team.editor, "DELETE", `/articles/${id}/comments/${String(comment?.["id"])}`, {}, 403);
    await assertRefused(
      team.approver,
      "PATCH",
      `/articles/${id}/comments/${String(comment?.["id"])}`,
      { text: "x", edited_at: null },
      403,
    );
    await team.approver.json("DELETE", `/articles/${id}/comments/${String(comment?.["id"])}`, {});
    const { version } = await team.page(id);
    await team.editor.json("PATCH", `/articles/${id}`, { version, changes: { content: "<p>Low at seven.</p>" } });
    await say(token, { text: "More", passage: null }, 409);
    await reply(token, { text: "More", thread }, 409);
    assert.equal(records((await open(token))["threads"]).length, 2, "the answers can still be read");
    const actions = (await team.history(id)).map(({ action }) => action);
    assert.equal(actions.filter((one) => one === "article.commented").length, 3);
  });

  test("tells a guest no e-mail address of a member without a name, and stores no control characters", async () => {
    const id = await team.newArticle();
    const { token } = await share(id);
    await say(token, { text: "One\u001b[2J\nTwo\ud800", passage: null });
    const [thread] = records((await open(token))["threads"]);
    assert.equal(records(thread?.["comments"])[0]?.["text"], "One\ufffd[2J\nTwo\ufffd");
    const editorId = String(record((await team.editor.json("GET", "/session"))["account"])["id"]);
    const rename = (name: string) =>
      team.service.app.store.write((db) => db.run("UPDATE accounts SET name = ? WHERE id = ?", name, editorId));
    const path = `/articles/${id}/comments/${String(thread?.["id"])}/replies`;
    await team.editor.json("POST", path, { text: `Ask <@${editorId}>.` }, 201);
    await rename("");
    try {
      const [seen] = records((await open(token))["threads"]);
      const { name, text } = records(seen?.["comments"])[1] ?? {};
      assert.deepEqual([name, text], ["A member", "Ask @somebody."]);
    } finally {
      await rename("editor");
    }
  });

  test("takes no e-mail address for a name, and no characters that make a name look like another", async () => {
    const id = await team.newArticle();
    const { token } = await share(id);
    const comment = { token, text: "One", passage: null };
    for (const name of ["owner@example.com", "owner＠example.com", "\u202e\u200b", "\u2800\u3164", "\u200d"]) {
      assert.equal((await guest().send("POST", "/guest-review/comments", { ...comment, name })).status, 400, name);
    }
    await guest().send("POST", "/guest-review/comments", { ...comment, name: "\u202eMa\u200bria\u202c" });
    const [thread] = records((await team.editor.json("GET", `/articles/${id}/comments`))["threads"]);
    assert.equal(record(records(thread?.["comments"])[0]?.["by"])["name"], GUEST);
  });

  test("tells two guests of one name apart, whatever its case, and knows each again by the name they gave", async () => {
    const id = await team.newArticle();
    const [first, second, third] = [await share(id), await share(id), await share(id)];
    await say(first.token, { text: "One", passage: null });
    await say(second.token, { text: "Two", passage: null, name: "MARIA" });
    await say(second.token, { text: "Three", passage: null, name: "MARIA" });
    assert.equal((await open(second.token))["name"], "MARIA (2)");
    await say(second.token, { text: "Four", passage: null, name: "MARIA (2)" });
    await say(second.token, { text: "Five", passage: null, name: "Bob" }, 409);
    await decide(third.token, { decision: "approve" });
    const comments = records((await team.editor.json("GET", `/articles/${id}/comments`))["threads"]).flatMap((thread) =>
      records(thread["comments"]),
    );
    assert.deepEqual(
      new Set(comments.map((comment) => record(comment["by"])["name"])),
      new Set([GUEST, "MARIA (2), guest invited by approver"]),
    );
    const by = (await team.history(id)).map((entry) => record(entry["by"])["name"]);
    assert.ok(by.includes("Maria (3), guest invited by approver"), by.join());
  });

  test("names a sender without a name to members by e-mail address, and to guests as an editor", async () => {
    const website = await team.service.newWebsite();
    await updateWebsite(team.service.app, website.id, { requiresSecondPerson: true }, CLI_ORIGIN);
    const approver = await team.people.person("approver", website.id, "nameless@example.com");
    const accountId = String(record((await approver.json("GET", "/session"))["account"])["id"]);
    await team.service.app.store.write((db) => db.run("UPDATE accounts SET name = '' WHERE id = ?", accountId));
    const input = { website_id: website.id, title: "Own", markdown: "Own text.", review_state: "in_review" };
    const id = String(record((await approver.json("POST", "/articles", input, 201))["article"])["id"]);
    const { token } = await share(id, {}, approver);
    const answers = [
      JSON.stringify(await open(token)),
      await decide(token, { decision: "approve" }, 409),
      await decide(token, { decision: "request-changes", reason: "More." }),
      await decide(token, { name: "Eve", decision: "request-changes", reason: "Less." }, 409),
      JSON.stringify(await open(token)),
    ];
    const { line } = await approver.json("GET", `/articles/${id}`);
    const changes = { version: Number(record(line)["version"]), changes: { title: "Another" } };
    await approver.json("PATCH", `/articles/${id}`, changes);
    answers.push(JSON.stringify(await open(token)), await decide(token, { decision: "approve" }, 409));
    for (const answer of answers) assert.doesNotMatch(answer, /@/);
    assert.equal(record(JSON.parse(answers[0] ?? ""))["sender"], "an editor");
    const { request } = await approver.json("GET", `/articles/${id}`);
    assert.equal(record(record(request)["by"])["name"], "Maria, guest invited by nameless@example.com");
  });

  test("takes a limited number of comments, and none once it is revoked or has expired", async () => {
    const deps = team.service.app;
    const id = await team.newArticle();
    const { token, link } = await createReviewLink(deps, id, {}, CLI_ACTOR);
    const comment = { name: "Maria", text: "More.", passage: null };
    for (let no = 0; no < 100; no++) await commentAsGuest(deps, token, comment, null);
    await assert.rejects(commentAsGuest(deps, token, comment, null), /maximum of 100 comments/);
    const { token: busy } = await share(id);
    const replies = [];
    for (let no = 0; no < 12; no++) {
      replies.push(await guest().send("POST", "/guest-review/comments", { token: busy, ...comment }));
    }
    assert.deepEqual([...new Set(statuses(replies))], [204, 429]);
    const late = { ...deps, clock: () => deps.clock() + 8 * 86_400_000 };
    await assert.rejects(commentAsGuest(late, token, comment, null), { code: "not_found" });
    await revokeReviewLink(deps, id, link.id, CLI_ACTOR);
    await assert.rejects(commentAsGuest(deps, token, comment, null), { code: "not_found" });
  });

  test("takes no decision once it is revoked, even during the decision", async () => {
    const deps = team.service.app;
    for (const revokedBefore of [0, 1]) {
      const id = await team.newArticle();
      const { token, link } = await createReviewLink(deps, id, {}, CLI_ACTOR);
      let writes = 0;
      const store = wrapStore(deps.store, {
        write: async (work, options) => {
          if (writes++ === revokedBefore) await revokeReviewLink(deps, id, link.id, CLI_ACTOR);
          return deps.store.write(work, options);
        },
      });
      const deciding = decideAsGuest({ ...deps, store }, token, { name: "M", decision: "approve", reason: "" }, null);
      const isDone = await deciding.then(
        () => true,
        () => false,
      );
      assert.equal(isDone, writes <= revokedBefore, `revoked before write ${revokedBefore}`);
      assert.equal((await team.page(id)).status, isDone ? "approved" : "pending");
    }
  });

  test("can be revoked, expires, and ends with its sender's right to approve", async () => {
    const id = await team.newArticle();
    const [revoked, kept] = [await share(id), await share(id)];
    await team.owner.send("DELETE", `/articles/${id}/review-links/${revoked.link}`);
    await open(revoked.token, 404);
    await decide(revoked.token, { decision: "approve" }, 404);
    await open(kept.token);
    const listed = records((await team.approver.json("GET", `/articles/${id}/review-links`))["links"]);
    assert.deepEqual(
      listed.map((one) => [one["id"], one["revoked_at"] !== null]),
      [
        [kept.link, false],
        [revoked.link, true],
      ],
    );
    await assertRefused(team.editor, "POST", `/articles/${id}/review-links`, {}, 403);
    const away = await team.people.person("approver", team.service.website.id, "away@example.com");
    const { token } = await share(id, {}, away);
    await open(token);
    const members = records(
      (await team.owner.json("GET", `/members?website_id=${team.service.website.id}`))["members"],
    );
    const member = members.find((one) => one["email"] === "away@example.com");
    await team.owner.send("DELETE", `/members/${String(member?.["id"])}`);
    await open(token, 404);
    const deps = team.service.app;
    const late = { ...deps, clock: () => deps.clock() + 8 * 86_400_000 };
    await assert.rejects(readGuestReview(late, kept.token), { code: "not_found" });
    await open(kept.token);
  });

  test("cannot approve its sender's own text where a second person is required", async () => {
    const website = await team.service.newWebsite();
    await updateWebsite(team.service.app, website.id, { requiresSecondPerson: true }, CLI_ORIGIN);
    const approver = await team.people.person("approver", website.id, "second@example.com");
    const made = await approver.json(
      "POST",
      "/articles",
      { website_id: website.id, title: "Own", markdown: "Own text.", review_state: "in_review" },
      201,
    );
    const id = String(record(made["article"])["id"]);
    const { token } = await share(id, {}, approver);
    assert.match(await decide(token, { decision: "approve" }, 409), /somebody else has to approve it/);
    await decide(token, { decision: "request-changes", reason: "More." });
  });

  test("is created only for unpublished articles and shows nothing of those in the trash", async () => {
    const published = await team.newArticle({ status: "published" });
    await assertRefused(team.approver, "POST", `/articles/${published}/review-links`, {}, 409);
    await assertRefused(team.approver, "POST", `/articles/${published}/review-links`, { days: 31 }, 400);
    const id = await team.newArticle();
    const { token } = await share(id);
    const { version } = await team.page(id);
    await team.approver.json("POST", `/articles/${id}/delete`, { version });
    await open(token, 404);
  });

  test("admits no forged, foreign, expired or revoked token", async () => {
    const deps = team.service.app;
    const id = await team.newArticle();
    const { token } = await createReviewLink(deps, id, {}, CLI_ACTOR);
    const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    await commentAsGuest(deps, token, { name: "x", text: "x", passage: null }, null);
    const [thread] = await listGuestThreads(deps, (await readGuestReview(deps, token)).link);
    const threadId = thread?.id ?? "";
    // Tries each of the six forged tokens in each of the seven requests.
    const ways = [
      (one: string) => readGuestReview(deps, one),
      (one: string) => decideAsGuest(deps, one, { name: "x", decision: "approve", reason: "" }, null),
      (one: string) => commentAsGuest(deps, one, { name: "x", text: "y", passage: null }, null),
      (one: string) => replyAsGuest(deps, one, { name: "x", text: "y", threadId }, null),
      (one: string) => replyAsGuest(deps, one, { name: "x", text: "y", threadId: "" }, null),
      (one: string) => decideAsGuest(deps, one, { name: "x", decision: "request-changes", reason: "y" }, null),
      (one: string) => commentAsGuest(deps, one, { name: "y", text: "y", passage: null }, null),
    ];
    let admitted = 0;
    const count = IS_THOROUGH ? 20_000 : cases(2_000);
    for (let no = 0; no < count; no++) {
      const at = no % token.length;
      const other = chars[(chars.indexOf(token[at] ?? "") + 1 + (no % 62)) % 64] ?? "";
      const forged = [
        randomBytes(32).toString("base64url"),
        `${token.slice(0, at)}${other}${token.slice(at + 1)}`,
        token.slice(0, at),
        `${token}${other}`,
        ` ${token}`,
        token.toUpperCase(),
      ][no % 6];
      try {
        await ways[no % ways.length]?.(forged ?? "");
        admitted++;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      }
    }
    assert.equal(admitted, 0);
    assert.equal((await listGuestThreads(deps, (await readGuestReview(deps, token)).link)).length, 1);
    assert.equal((await team.page(id)).status, "pending");
    await readGuestReview(deps, token);
    await updateArticle(deps, id, { title: "Other" }, CHIEF);
    assert.equal((await readGuestReview(deps, token)).article, null);
  });

  test("is protected against guessing by a limit per address", async () => {
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => guest().send("POST", "/guest-review", { token: "x" })),
    );
    assert.deepEqual([...new Set(statuses(replies))], [404, 429]);
  });
});

async function tokenIsStored(token: string): Promise<boolean> {
  const rows = await team.service.app.store.read(async (db) => [
    ...(await db.all("SELECT * FROM review_links")),
    ...(await db.all("SELECT * FROM audit_log")),
  ]);
  return JSON.stringify(rows).includes(token) || JSON.stringify(team.service.log).includes(token);
}
