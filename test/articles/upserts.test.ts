/** Articles that a machine brings by an id of its own, again and again. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { externalSource } from "../../src/domain/articles/origin.ts";
import { upsertArticle, type UpsertOptions } from "../../src/operations/articles/import/upserts.ts";
import { listHeldChanges } from "../../src/operations/articles/review/held-changes.ts";
import { loadReviewed } from "../../src/operations/articles/review/article-review.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { declinePublication } from "../../src/operations/articles/write/publication-requests.ts";
import { applyDraftCopy, discardDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { findDraftCopy } from "../../src/store/articles/draft-copies.ts";
import { deleteArticles } from "../../src/store/articles/purging.ts";
import type { Actor } from "../../src/operations/system/deps.ts";
import { CHIEF } from "../helpers/articles.ts";
import { openTeam } from "../helpers/team.ts";

const team = await openTeam();
after(() => team[Symbol.asyncDispose]());
const { app, website } = team.service;

const MACHINE: Actor = { id: "machine", mayApprove: false, isMachine: true };
const TEXT: ArticleInput = { title: "First", content: "<p>One</p>" };

/** @returns what came of it, in words. */
async function bring(
  externalId: string,
  input: ArticleInput,
  options: Partial<UpsertOptions> = {},
): Promise<{ said: string; id: string }> {
  const given = { actor: MACHINE, ...options };
  const done = await upsertArticle(app, website.id, { source: externalSource(externalId), input }, given);
  return { said: [done.outcome, ...done.heldFields].join(" "), id: done.full.article.id };
}

async function draftOf(id: string): Promise<ArticleInput | undefined> {
  const { article } = await team.stored(id);
  return (await app.store.read((db) => findDraftCopy(db, article.rowNo)))?.changes;
}

async function publish(id: string): Promise<void> {
  await articles.approveAndPublishArticle(app, id, CHIEF);
}

test("the same article three times is one, in review, by the machine", async () => {
  const { said, id } = await bring("one", TEXT);
  assert.equal(said, "created");
  for (let count = 0; count < 2; count++) assert.deepEqual(await bring("one", TEXT), { said: "unchanged", id });
  const { article } = await team.stored(id);
  assert.deepEqual([article.status, article.reviewState, article.authorId], ["pending", "in_review", "machine"]);
  assert.deepEqual(await team.actions(id), ["article.created"]);
});

test("a change is applied, what people changed stays, and what both changed is held", async () => {
  const { id } = await bring("both", { ...TEXT, tags: ["x"] });
  assert.equal((await bring("both", { ...TEXT, tags: ["y"] })).said, "updated");
  await articles.updateArticle(app, id, { content: "<p>Corrected</p>" }, CHIEF);
  assert.equal((await bring("both", { ...TEXT, tags: ["z"] })).said, "updated");
  const second = { title: "Second", content: "<p>Two</p>", tags: ["z"] };
  assert.equal((await bring("both", second)).said, "held content");
  const { article, body } = await team.stored(id);
  assert.deepEqual([article.title, article.tags, body.html], ["Second", ["z"], "<p>Corrected</p>"]);
  assert.equal((await bring("both", second)).said, "unchanged");
  assert.equal((await bring("both", second, { overwrite: true })).said, "updated");
  assert.equal((await team.stored(id)).body.html, "<p>Two</p>");
  assert.deepEqual(await listHeldChanges(app, id), []);
});

test("a change of an approved article returns it to review", async () => {
  const { id } = await bring("approved", TEXT);
  await articles.approveArticle(app, id, CHIEF);
  assert.equal((await bring("approved", { ...TEXT, title: "Later" })).said, "updated");
  const { article } = await team.stored(id);
  assert.deepEqual([article.title, article.status, article.approvedAt], ["Later", "pending", null]);
});

test("changes of a published article go to its draft copy, one after the other", async () => {
  const { id } = await bring("live", TEXT);
  await publish(id);
  assert.equal((await bring("live", { ...TEXT, content: "<p>Two<script></script></p>" })).said, "updated");
  assert.deepEqual(await draftOf(id), { content: "<p>Two</p>" });
  assert.equal((await bring("live", { ...TEXT, title: "Third", content: "<p>Three</p>" })).said, "updated");
  assert.deepEqual(await draftOf(id), { title: "Third", content: "<p>Three</p>" });
  assert.equal((await team.stored(id)).body.html, "<p>One</p>");
  await applyDraftCopy(app, id, CHIEF);
  assert.equal((await team.stored(id)).article.title, "Third");
  assert.equal((await bring("live", { ...TEXT, title: "Fourth", content: "<p>Three</p>" })).said, "updated");
  assert.deepEqual(await draftOf(id), { title: "Fourth" });
});

test("what people wrote in the draft copy is theirs, and so is discarding it", async () => {
  const { id } = await bring("drafted", { ...TEXT, tags: ["x"] });
  await publish(id);
  await saveDraftCopy(app, id, { title: "People's" }, CHIEF);
  assert.equal((await bring("drafted", { ...TEXT, title: "Machine's", tags: ["y"] })).said, "held title");
  assert.deepEqual(await draftOf(id), { title: "People's", tags: ["y"] });
  await discardDraftCopy(app, id, CHIEF);
  assert.equal((await bring("drafted", { ...TEXT, title: "Machine's", tags: ["z"] })).said, "held tags");
  assert.equal(await draftOf(id), undefined);
});

test("what is brought as published asks people to publish it, once", async () => {
  const wanted: ArticleInput = { ...TEXT, status: "published" };
  const { id } = await bring("wish", wanted);
  const request = async () => {
    const { publication } = await app.store.read((db) => loadReviewed(db, id));
    return publication?.person.id;
  };
  assert.equal((await team.stored(id)).article.status, "pending");
  assert.equal(await request(), MACHINE.id);
  const { publication } = await app.store.read((db) => loadReviewed(db, id));
  await assert.rejects(declinePublication(app, id, 1, CHIEF), { code: "conflict" });
  await declinePublication(app, id, publication?.at ?? 0, CHIEF);
  assert.equal(await request(), undefined);
  await bring("wish", { ...wanted, title: "Second" });
  assert.equal(await request(), undefined, "it was declined");
  await bring("wish", { ...wanted, status: "pending" });
  await bring("wish", wanted);
  assert.equal(await request(), MACHINE.id);
  await publish(id);
  await articles.unpublishArticle(app, id, CHIEF);
  assert.equal(await request(), undefined, "people took it down");
});

test("what comes for an article in the trash is held, and does not restore it", async () => {
  const { id } = await bring("trash", TEXT);
  await articles.deleteArticle(app, id, CHIEF);
  assert.equal((await bring("trash", { ...TEXT, title: "Again" })).said, "held title");
  assert.equal((await bring("trash", { ...TEXT, title: "Again" })).said, "unchanged");
  assert.notEqual((await team.stored(id)).article.deletedAt, null);
});

test("what people deleted permanently comes back only by overwriting", async () => {
  const { id } = await bring("purged", TEXT);
  await articles.deleteArticle(app, id, CHIEF);
  const { article } = await team.stored(id);
  await app.store.write((db) => deleteArticles(db, website.id, [article.rowNo]));
  await assert.rejects(bring("purged", { ...TEXT, title: "Again" }), { code: "conflict" });
  assert.equal((await bring("purged", TEXT, { overwrite: true })).said, "created");
});

test("of those who bring a new article at the same time one creates it", async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => bring("race", TEXT)));
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  assert.deepEqual(all.map(({ said }) => said).toSorted(), ["created", ...Array(4).fill("unchanged")]);
});

test("nothing is lost between people and machines who change an article at the same time", async () => {
  const { id } = await bring("busy", TEXT);
  await Promise.all([
    bring("busy", { ...TEXT, tags: ["machine"] }),
    articles
      .updateArticle(app, id, { metaTitle: "people" }, CHIEF)
      .catch(() => articles.updateArticle(app, id, { metaTitle: "people" }, CHIEF)),
    bring("busy", { ...TEXT, tags: ["machine"] }),
  ]);
  const { article } = await team.stored(id);
  assert.deepEqual([article.metaTitle, article.tags], ["people", ["machine"]]);
});
