/** What is found in a text holds it where its website says so (docs/quality-metrics.md, "The gate"). */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import type { Finding, FindingKind } from "../../src/domain/articles/findings.ts";
import type { IntegrityGate } from "../../src/domain/system/website.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { createFromSource } from "../../src/operations/articles/import/upserts.ts";
import { publishDueArticles } from "../../src/operations/articles/write/schedule.ts";
import { acceptance, overrideFindings } from "../../src/operations/articles/write/override-findings.ts";
import type { Actor } from "../../src/operations/system/deps.ts";
import { CHIEF, fullArticle, FUTURE, makeArticle, withClock } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { Machine } from "../helpers/machine.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import type { Browser } from "../people/dashboard.ts";

const REASON = "The article is about chatbots.";
const SOUND_TEXT = `<p>Soft water makes better tea than hard water, because fewer minerals bind what the leaves give off.</p>
<p>We brewed the same oolong with water from four springs in May, and asked nine guests which cup they preferred.</p>
<p>Seven chose the spring near the old mill, whose water has hardly any lime; two found it flat and took the second.</p>
<p>Whoever has hard water at home can filter it, or use a darker tea that forgives more.</p>`;
const CHATBOT = "<p>As an AI language model, I cannot taste tea, but I hope this helps.</p>";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());
beforeEach(async () => {
  await setGate("machine");
  // No test's text is a near duplicate of another's.
  await team.service.app.store.write((db) => db.run("DELETE FROM fingerprints"));
});

async function setGate(integrity_gate: IntegrityGate): Promise<void> {
  await team.owner.json("PATCH", `/websites/${team.service.website.id}`, { integrity_gate });
}

function finding(kind: FindingKind, severity: Finding["severity"] = "block"): Finding {
  const quote = "As an AI language model";
  return { kind, severity, field: "text", block: 0, start: 0, end: quote.length, quote, message: "A chatbot speaks." };
}

/** As if a later engine had found this in the text as it is now. */
async function find(id: string, ...kinds: FindingKind[]): Promise<void> {
  const { article, body } = await team.stored(id);
  const findings = kinds.map((kind) => finding(kind));
  const integrity = {
    status: "fail",
    blocking: kinds.length,
    warnings: 1,
    findings: [...findings, finding("todo", "warn")],
  };
  const metrics = JSON.stringify({ ...(JSON.parse(body.metricsJson) as Json), integrity });
  await team.service.app.store.write((db) =>
    db.run(
      "INSERT INTO rechecked_metrics (row_no, website_id, engine_version, metrics) VALUES (?, ?, '9.0.0', ?)",
      article.rowNo,
      article.websiteId,
      metrics,
    ),
  );
}

let brought = 0;

/** An article that a machine brought, with what is found in it. @returns its id. */
async function bring(kinds: readonly FindingKind[] = ["chatbot_voice"], input: ArticleInput = {}): Promise<string> {
  const { app, website } = team.service;
  const machine: Actor = { id: "machine", mayApprove: false, isMachine: true };
  const item = { source: `api:gate-${++brought}`, input: makeArticle(input) };
  const { article } = await createFromSource(app, website.id, item, { actor: machine, reviewState: "in_review" });
  await find(article.id, ...kinds);
  return article.id;
}

async function decide(id: string, verb: string, more: Json = {}, status = 200, who: Browser = team.approver) {
  const { version } = await team.page(id);
  return who.json("POST", `/articles/${id}/${verb}`, { version, ...more }, status);
}

async function change(id: string, changes: Json): Promise<void> {
  const { version, savedAt } = await team.page(id);
  await team.approver.json("PATCH", `/articles/${id}`, { version, draft_saved_at: savedAt, changes });
}

const accept = (id: string, kinds: readonly string[], status = 200, reason = REASON) =>
  decide(id, "override", { kinds: kinds.map((kind) => ({ kind, reason })) }, status);

async function gate(id: string): Promise<Json> {
  return record((await team.page(id)).all["gate"]);
}

const AT = new Date(FUTURE).toISOString();

describe("a text that a machine brought, and in which something was found", () => {
  test("is neither approved nor published, and the refusal says what was found", async () => {
    const id = await bring(["chatbot_voice", "placeholder"]);
    assert.deepEqual(await gate(id), { holds: true, kinds: ["chatbot_voice", "placeholder"], overridden: [] });
    for (const [verb, more] of [
      ["approve", {}],
      ["approve-and-publish", {}],
      ["approve-and-publish", { delayed: true }],
      ["approve-and-schedule", { publish_at: AT }],
    ] as const) {
      const { code, findings, message } = await decide(id, verb, more, 409);
      assert.equal(code, "integrity");
      assert.deepEqual(findings, [finding("chatbot_voice"), finding("placeholder")]);
      assert.match(String(message), /A chatbot speaks \(chatbot_voice\): “As an AI language model”; Gap to fill in/);
    }
    const { article } = await team.stored(id);
    assert.deepEqual([article.status, article.reviewState], ["pending", "in_review"]);
    await decide(id, "request-changes", { reason: "Write it yourself." });
  });

  test("is not published or scheduled, although it was approved before it was found", async () => {
    const id = await bring([]);
    await decide(id, "approve");
    await team.service.app.store.write((db) => db.run("DELETE FROM rechecked_metrics"));
    await find(id, "lorem_ipsum");
    for (const [verb, more] of [
      ["publish", {}],
      ["publish", { delayed: true }],
      ["schedule", { publish_at: AT }],
    ] as const) {
      assert.equal((await decide(id, verb, more, 409))["code"], "integrity");
    }
  });

  test("goes live at its time, if it was found after it was scheduled", async () => {
    const deps = withClock(team.service.app, FUTURE);
    const id = await bring([]);
    await articles.approveAndScheduleArticle(deps, id, FUTURE + 1_000, CHIEF);
    await team.service.app.store.write((db) => db.run("DELETE FROM rechecked_metrics"));
    await find(id, "lorem_ipsum");
    deps.now += 2_000;
    assert.equal(await publishDueArticles(deps, 10), 1);
    assert.equal((await team.page(id)).status, "published");
    assert.equal((await gate(id))["holds"], false);
  });

  test("is held with warnings alone by no website", async () => {
    const id = await bring([]);
    assert.deepEqual(await gate(id), { holds: false, kinds: [], overridden: [] });
    await decide(id, "approve");
  });

  test("is held as well if it came from a sender, a push or a generator that names its steps", async () => {
    const id = await team.newArticle(fullArticle());
    await find(id, "gibberish");
    assert.equal((await decide(id, "approve", {}, 409))["code"], "integrity");
    for (const origin of ["sender", "push"]) {
      const other = await team.newArticle();
      await find(other, "gibberish");
      await team.service.app.store.write((db) => db.run("UPDATE articles SET origin = ? WHERE id = ?", origin, other));
      assert.equal((await decide(other, "approve", {}, 409))["code"], "integrity");
    }
  });

  test("is held for machines and commands, too, and in bulk it is skipped and counted", async () => {
    const id = await bring();
    const sound = await bring([]);
    using machine = await Machine.start(team.service, "publish");
    const { article } = await machine.json("GET", `/articles/${id}`);
    const etag = String(record(article)["etag"]);
    const refused = await machine.json("POST", `/articles/${id}/approve-and-publish`, {}, { etag, status: 409 });
    assert.deepEqual(
      [refused["code"], refused["state"], records(refused["findings"]).length],
      ["integrity", "in_review", 1],
    );
    await assert.rejects(
      articles.approveArticle(team.service.app, id, { ...CHIEF, isOperator: true }),
      /chatbot_voice/,
    );
    const chosen = { website_id: team.service.website.id, articles: [{ id }, { id: sound }] };
    const { done, held, results } = await team.approver.json("POST", "/articles/bulk/approve-and-publish", chosen);
    assert.deepEqual([done, held, records(results).map(({ ok }) => ok)], [1, 1, [false, true]]);
  });
});

describe("which texts are held", () => {
  test("a text of three words that a person wrote is approved and published, whatever is found", async () => {
    const id = await team.newArticle({ content: "<p>Just three words</p>" });
    await find(id, "no_article");
    assert.deepEqual(await gate(id), { holds: false, kinds: [], overridden: [] });
    await decide(id, "approve-and-publish");
    assert.equal((await team.page(id)).status, "published");
  });

  test("the website decides: all of them, or none", async () => {
    const written = await team.newArticle();
    await find(written, "no_article");
    const machines = await bring();
    await setGate("all");
    await decide(written, "approve", {}, 409);
    await setGate("off");
    assert.deepEqual(await gate(machines), { holds: false, kinds: [], overridden: [] });
    await decide(written, "approve");
    await decide(machines, "approve");
  });

  test("only what is found in the text as it is now holds it", async () => {
    const id = await bring([], { content: `${SOUND_TEXT}${CHATBOT}` });
    await team.service.app.store.write((db) => db.run("DELETE FROM rechecked_metrics"));
    assert.equal((await decide(id, "approve", {}, 409))["code"], "integrity");
    await change(id, { content: SOUND_TEXT });
    await decide(id, "approve");
  });

  test("an edit of what was approved sends it back to review, and a published article gets nothing new", async () => {
    const id = await bring([], { content: SOUND_TEXT });
    await team.service.app.store.write((db) => db.run("DELETE FROM rechecked_metrics"));
    await decide(id, "approve");
    await change(id, { content: `${SOUND_TEXT}${CHATBOT}` });
    assert.equal((await team.page(id)).status, "pending");
    await change(id, { content: SOUND_TEXT });
    await decide(id, "approve-and-publish");
    await change(id, { content: `${SOUND_TEXT}${CHATBOT}` });
    const publishDraft = async (status: number) => {
      const { version, savedAt } = await team.page(id);
      return team.approver.json("POST", `/articles/${id}/draft/publish`, { version, draft_saved_at: savedAt }, status);
    };
    assert.equal((await publishDraft(409))["code"], "integrity");
    await accept(id, ["chatbot_voice"]);
    await publishDraft(200);
    assert.match((await team.stored(id)).body.html, /As an AI language model/);
  });

  test("the same text twice is held until somebody accepts it", async () => {
    const first = await bring([], { content: `${SOUND_TEXT}<p>It was written by hand.</p>` });
    const second = await bring([], { content: `${SOUND_TEXT}<p>It was written by hand.</p>` });
    const { kinds } = await gate(second);
    assert.deepEqual([kinds, (await gate(first))["kinds"]], [["near_duplicate"], ["near_duplicate"]]);
    assert.equal((await decide(second, "approve", {}, 409))["code"], "integrity");
    await accept(second, ["near_duplicate"]);
    await decide(second, "approve");
  });
});

describe("a finding that an approver accepts", () => {
  test("holds the text no longer; the reason is shown, and in the audit log and the history", async () => {
    const id = await bring(["chatbot_voice", "placeholder"]);
    const { gate: after } = await accept(id, ["chatbot_voice"]);
    const { holds, kinds, overridden } = record(after);
    assert.deepEqual([holds, kinds], [true, ["placeholder"]]);
    const [shown] = records(overridden);
    assert.deepEqual([shown?.["kind"], shown?.["reason"]], ["chatbot_voice", REASON]);
    assert.ok(String(record(shown?.["actor"])["name"]).length > 0);
    await decide(id, "approve", {}, 409);
    await accept(id, ["placeholder"]);
    await decide(id, "approve-and-publish");
    await decide(id, "unpublish");
    await decide(id, "publish");
    assert.deepEqual(
      (await team.actions(id)).filter((action) => action.startsWith("article.integrity")),
      ["article.integrity_overridden", "article.integrity_overridden"],
    );
    const entry = (await team.history(id)).find(({ action }) => action === "article.integrity_overridden");
    assert.deepEqual([record(entry?.["detail"])["kind"], record(entry?.["detail"])["reason"]], ["placeholder", REASON]);
  });

  test("holds it again after an edit of the text", async () => {
    const id = await bring();
    await accept(id, ["chatbot_voice"]);
    const { version } = await team.page(id);
    await team.editor.json("PATCH", `/articles/${id}`, { version, changes: { title: "Another title" } });
    await team.service.app.store.write((db) => db.run("DELETE FROM rechecked_metrics"));
    await find(id, "chatbot_voice");
    assert.deepEqual(await gate(id), { holds: true, kinds: ["chatbot_voice"], overridden: [] });
  });

  test("goes with the approval that it was given for, if that fails", async () => {
    const id = await bring(["chatbot_voice", "placeholder"]);
    const { app } = team.service;
    const accepting = async (...kinds: string[]) => {
      const given = kinds.map((kind) => ({ kind, reason: REASON }));
      return { ...app, accept: await acceptance(app, id, given) };
    };
    await assert.rejects(
      articles.approveArticle(await accepting("chatbot_voice"), id, CHIEF),
      /is held by what was found/,
    );
    assert.deepEqual(await gate(id), { holds: true, kinds: ["chatbot_voice", "placeholder"], overridden: [] });
    await articles.approveArticle(await accepting("chatbot_voice", "placeholder"), id, CHIEF);
    assert.equal(records((await gate(id))["overridden"]).length, 2);
    assert.equal((await team.stored(id)).article.status, "approved");
  });

  test("needs a reason, an approver who is a person, and to be there", async () => {
    const id = await bring();
    await accept(id, ["chatbot_voice"], 400, "Fine.");
    await accept(id, ["chatbot_voice"], 400, "          Fine.          ");
    await accept(id, ["chatter"], 400);
    await accept(id, [], 400);
    await accept(id, ["todo"], 409);
    await accept(id, ["lorem_ipsum"], 409);
    await decide(id, "override", { kinds: [{ kind: "chatbot_voice", reason: REASON }] }, 403, team.editor);
    const machine: Actor = { id: "machine", mayApprove: true, isMachine: true };
    const kinds = [{ kind: "chatbot_voice", reason: REASON }];
    await assert.rejects(overrideFindings(team.service.app, id, kinds, machine), { code: "forbidden" });
    await decide(id, "approve", {}, 409);
  });
});
