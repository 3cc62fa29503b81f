import assert from "node:assert/strict";
import { test } from "node:test";
import type { Article } from "./article.ts";
import * as workflow from "./workflow.ts";

const NOW = 1_000;

function article(over: Partial<Article> = {}): Article {
  return {
    id: "a",
    websiteId: "w",
    status: "pending",
    reviewState: over.status === undefined || over.status === "pending" ? "in_review" : null,
    origin: "written",
    authorId: null,
    assigneeId: null,
    authors: [],
    metaTitle: null,
    canonicalUrl: null,
    aliases: [],
    language: null,
    translationGroup: null,
    title: "T",
    slug: "t",
    excerpt: "",
    authorExcerpt: null,
    seoKeywords: [],
    metaDescription: null,
    targetKeyword: null,
    featuredImageUrl: null,
    featuredImageAlt: null,
    categories: [],
    tags: [],
    wordCount: 0,
    readingTime: 1,
    createdAt: 0,
    updatedAt: 0,
    stateSince: 0,
    approvedAt: null,
    publishedAt: null,
    publishAt: null,
    platformUrl: null,
    platformPostId: null,
    userId: null,
    contentHash: "h",
    approvedHash: null,
    deletedAt: null,
    version: 1,
    ...over,
  };
}

const approved = article({ status: "approved", approvedAt: 1, approvedHash: "h" });
const published = article({ ...approved, status: "published", publishedAt: 2 });

test("approving keeps the hash of what was approved, and when", () => {
  const after = workflow.approve(article(), NOW);
  assert.deepEqual([after.status, after.approvedAt, after.approvedHash], ["approved", NOW, "h"]);
});

test("publishing clears the schedule and keeps the first date", () => {
  assert.deepEqual(workflow.publish({ ...approved, publishAt: 5 }, NOW), {
    ...approved,
    status: "published",
    publishedAt: NOW,
  });
  assert.equal(workflow.publish({ ...approved, publishedAt: 7 }, NOW).publishedAt, 7);
});

test("a text that is not the approved one is neither published nor scheduled", () => {
  const changed = { ...approved, contentHash: "other" };
  assert.throws(() => workflow.publish(changed, NOW), { code: "conflict" });
  assert.throws(() => workflow.schedule(changed, NOW + 1, NOW), { code: "conflict" });
});

test("a scheduled time is in the future", () => {
  assert.equal(workflow.schedule(approved, NOW + 1, NOW).publishAt, NOW + 1);
  assert.throws(() => workflow.schedule(approved, NOW, NOW), { code: "invalid", field: "publish_at" });
});

test("an edited article is pending again after its approval, unless its editor may approve", () => {
  const edited = { ...approved, contentHash: "new", publishAt: 9 };
  const back = workflow.afterEdit(edited, NOW, false);
  assert.deepEqual([back.status, back.approvedAt, back.approvedHash, back.publishAt], ["pending", null, null, null]);
  const kept = workflow.afterEdit(edited, NOW, true);
  assert.deepEqual([kept.status, kept.approvedAt, kept.approvedHash, kept.publishAt], ["approved", NOW, "new", 9]);
  assert.equal(workflow.afterEdit(approved, NOW, false), approved);
  assert.throws(() => workflow.afterEdit({ ...published, contentHash: "new" }, NOW, false), { code: "forbidden" });
});

test("an article in the trash can only be restored, and only there can it be", () => {
  for (const one of [article(), approved, published]) {
    const gone = workflow.trash(one, NOW);
    for (const change of [
      () => workflow.approve(gone, NOW),
      () => workflow.publish(gone, NOW),
      () => workflow.unpublish(gone),
      () => workflow.requestChanges(gone, "x"),
      () => workflow.trash(gone, NOW),
    ]) {
      assert.throws(change, { code: "conflict", message: /trash/ });
    }
    assert.deepEqual(workflow.restore(gone), one);
    assert.throws(() => workflow.restore(one), { code: "conflict" });
  }
});

test("our own steps are in their order, each once", () => {
  const names = ["publish", "approve", "sanitize", "approve", "import"] as const;
  const steps = names.reduce(
    (all, name) => workflow.withStep(all, workflow.stepDone(name, "me", NOW)),
    [] as ReturnType<typeof workflow.withStep>,
  );
  assert.deepEqual(
    steps.map(({ name }) => name),
    ["import", "sanitize", "approve", "publish"],
  );
});
