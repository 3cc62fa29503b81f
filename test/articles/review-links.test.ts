/** Review links: somebody without an account reviews exactly one text, and nothing else. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { updateArticle } from "../../src/operations/articles/articles.ts";
import {
  createReviewLink,
  decideAsGuest,
  readGuestReview,
  revokeReviewLink,
} from "../../src/operations/articles/review-links.ts";
import { updateWebsite } from "../../src/operations/system/websites.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { CHIEF } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { cases, IS_THOROUGH } from "../helpers/properties.ts";
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
    assert.equal(record(log[0]?.["actor"])["email"], "Maria, guest invited by approver");
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
        if (no % 2 === 0) await readGuestReview(deps, forged ?? "");
        else await decideAsGuest(deps, forged ?? "", { name: "x", decision: "approve", reason: "" }, null);
        admitted++;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      }
    }
    assert.equal(admitted, 0);
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
