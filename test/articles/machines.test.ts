/** What machines do with articles: they write, and people answer for what is published. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { editArticle, writeArticle } from "../../src/operations/articles/write/article-changes.ts";
import {
  approveAndPublishArticle,
  approveArticle,
  createArticle,
  publishArticle,
  submitArticle,
} from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { loadReviewed } from "../../src/operations/articles/review/article-review.ts";
import { createToken, revokeToken } from "../../src/operations/people/access-tokens.ts";
import type { Actor } from "../../src/operations/system/deps.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { openTeam, type Team } from "../helpers/team.ts";

let team: Team;
/** A token of the scope publish. */
let machine: Actor;

before(async () => {
  team = await openTeam();
  const input = { name: "The generator", scope: "publish", expiresAt: null } as const;
  const { token } = await createToken(team.service.app, team.service.website.id, input, CLI_ORIGIN);
  machine = { id: token.id, mayApprove: true, isMachine: true };
});
after(() => team[Symbol.asyncDispose]());

const seen = (version: number) => ({ version, draftSavedAt: null });

describe("a machine that may publish", () => {
  test("approves nothing by writing it, whatever it asks for", async () => {
    const { app, website } = team.service;
    const { article } = await writeArticle(app, website.id, makeArticle({ status: "published" }), machine, {
      authorId: machine.id,
    });
    assert.deepEqual([article.status, article.authorId], ["pending", machine.id]);
  });

  test("approves no text by editing it: an approved one returns to review", async () => {
    const { app } = team.service;
    const id = await team.newArticle({ status: "approved" });
    const { article: before } = await team.stored(id);
    const edit = { changes: { title: "Changed" }, seen: seen(before.version), asDraft: true };
    const { article } = await editArticle(app, id, edit, machine);
    assert.deepEqual([article.status, article.reviewState, article.approvedHash], ["pending", "in_review", null]);
  });

  test("changes no published text by editing it, only its draft copy", async () => {
    const { app } = team.service;
    const id = await team.newArticle({ status: "published", title: "Live" });
    const { article } = await team.stored(id);
    const edit = { changes: { title: "Changed" }, seen: seen(article.version) };
    await assert.rejects(editArticle(app, id, { ...edit, asDraft: false }, machine), { code: "forbidden" });
    await editArticle(app, id, { ...edit, asDraft: true }, machine);
    assert.equal((await team.stored(id)).article.title, "Live");
    const live = await applyDraftCopy(app, id, machine);
    assert.deepEqual([live.article.title, live.article.status], ["Changed", "published"]);
  });

  test("approves and publishes by a call of its own", async () => {
    const { app } = team.service;
    const id = await team.newArticle();
    assert.equal((await approveArticle(app, id, machine)).article.status, "approved");
    assert.equal((await publishArticle(app, id, machine)).article.status, "published");
  });
});

describe("a website that requires a second person", () => {
  let website: string;

  before(async () => {
    const { app } = team.service;
    website = (await team.service.newWebsite({ name: "Careful" })).id;
    await updateWebsite(app, website, { requiresSecondPerson: true }, CLI_ORIGIN);
  });

  test("counts no machine as one, whoever wrote the text", async () => {
    const { app } = team.service;
    const other: Actor = { id: "another machine", mayApprove: true, isMachine: true };
    for (const writer of [machine, CHIEF]) {
      const { article } = await writeArticle(app, website, makeArticle(), writer, { authorId: writer.id });
      for (const approve of [approveArticle, approveAndPublishArticle]) {
        await assert.rejects(approve(app, article.id, other), {
          code: "conflict",
          message:
            "This website requires a second person for approvals: a person has to approve this text in the dashboard.",
        });
      }
    }
  });

  test("lets no machine make a draft copy live, and a person make that of a machine", async () => {
    const { app } = team.service;
    const operator: Actor = { id: "cli", mayApprove: true, isOperator: true };
    const { article } = await createArticle(app, website, makeArticle({ status: "published" }), operator);
    for (const [writer, publisher] of [
      [CHIEF, machine],
      [machine, machine],
    ] as const) {
      const { version } = (await team.stored(article.id)).article;
      const { draft } = await app.store.read((db) => loadReviewed(db, article.id));
      const edit = { changes: { title: `By ${writer.id}` }, asDraft: true };
      await editArticle(app, article.id, { ...edit, seen: { version, draftSavedAt: draft?.savedAt ?? null } }, writer);
      await assert.rejects(applyDraftCopy(app, article.id, publisher), { code: "forbidden" });
    }
    const live = await applyDraftCopy(app, article.id, { id: "a reviewer", mayApprove: true });
    assert.equal(live.article.title, `By ${machine.id}`);
  });
});

test("a machine is named as author and in the history, also after its token was revoked", async () => {
  const { app, website } = team.service;
  const { token } = await createToken(
    app,
    website.id,
    { name: "Night shift", scope: "draft", expiresAt: null },
    CLI_ORIGIN,
  );
  const actor: Actor = { id: token.id, mayApprove: false, isMachine: true };
  const { article } = await writeArticle(app, website.id, makeArticle({ title: "Named" }), actor, {
    authorId: actor.id,
    reviewState: "draft",
  });
  await submitArticle(app, article.id, actor);
  await revokeToken(app, token.id, CLI_ORIGIN);
  const by = { id: token.id, name: "Night shift" };
  const entries = await team.history(article.id);
  assert.deepEqual(
    entries.map(({ action, by: person }) => [action, person]),
    [
      ["article.submitted", by],
      ["article.created", by],
    ],
  );
  const page = await team.owner.json("GET", `/articles?view=pending&q=Named&website_id=${website.id}`);
  assert.deepEqual((page["articles"] as { author: unknown }[])[0]?.author, by);
  const { author } = await app.store.read((db) => loadReviewed(db, article.id));
  assert.deepEqual(author, by);
});
