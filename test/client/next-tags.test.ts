import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArticleEvent } from "../../client/src/types.ts";
import { recordChange, withChanges } from "../../kits/next/src/changes.ts";
import { findRenders, registerRender } from "../../kits/next/src/render-registry.ts";
import { rostrumTags, tagsOfEvent, tagsOfPath } from "../../kits/next/src/tags.ts";

const LIST = "/api/public/articles";
const article = { article_id: "01a1fd3e-514d-73a1-9b37-2af8b51009f2", slug: "water-for-tea" };

function expires(data: object, path: string, event = "article.updated"): boolean {
  const tags = tagsOfEvent({ event, timestamp: "", website_id: "", data } as unknown as ArticleEvent);
  return tagsOfPath(path).some((tag) => tags.includes(tag));
}

test("an event expires what was read of its article, and every list, but no other article", () => {
  const data = { ...article, updated_fields: ["title"] };
  for (const path of [LIST, `${LIST}/${article.article_id}`, `${LIST}/by-slug/water-for-tea`])
    assert.ok(expires(data, path));
  assert.ok(!expires(data, `${LIST}/by-slug/another`));
  assert.ok(!expires(data, `${LIST}/01a1fd3e-0000-73a1-9b37-2af8b51009f2`));
});

test("what shows on the pages of the articles beside it expires all that was read with neighbours", () => {
  const beside = tagsOfPath(`${LIST}/by-slug/another`, new URLSearchParams("include=language,neighbours"));
  const isExpired = (data: object, event = "article.updated") => {
    const tags = tagsOfEvent({ event, timestamp: "", website_id: "", data } as unknown as ArticleEvent);
    return beside.some((tag) => tags.includes(tag));
  };
  assert.ok(isExpired({ ...article, updated_fields: ["content", "title"] }));
  assert.ok(isExpired({ ...article, updated_fields: ["published_at"] }));
  assert.ok(isExpired(article, "article.published"));
  assert.ok(isExpired({ article_id: article.article_id }, "article.deleted"));
  assert.ok(!isExpired({ ...article, updated_fields: ["content", "tags"] }));
});

test("an event that does not name every slug of its article expires everything that was read by slug", () => {
  assert.ok(expires({ ...article, updated_fields: ["slug"] }, `${LIST}/by-slug/earlier`));
  assert.ok(expires({ article_id: article.article_id }, `${LIST}/by-slug/another`, "article.deleted"));
  // A thin event.
  assert.ok(expires({ article_id: article.article_id, api_url: "" }, `${LIST}/by-slug/water-for-tea`));
  assert.ok(
    expires({ article_id: article.article_id, api_url: "" }, `${LIST}/by-slug/water-for-tea`, "article.published"),
  );
});

test("a function that tags itself is expired by the same events", () => {
  const tags = tagsOfEvent({
    event: "article.updated",
    data: { ...article, updated_fields: [] },
  } as unknown as ArticleEvent);
  for (const own of [rostrumTags.lists(), rostrumTags.article(article.article_id), rostrumTags.slug(article.slug)]) {
    assert.ok(own.some((tag) => tags.includes(tag)));
  }
});

test("what was read before a change has a tag that nothing read later has", () => {
  const before = withChanges(["water", "tea"]);
  const expired = recordChange(["water"]);
  const after = withChanges(["water", "tea"]);
  assert.ok(expired.length === 1 && expired.every((tag) => before.includes(tag) && !after.includes(tag)));
  assert.deepEqual(before.slice(0, 2), after.slice(0, 2));
  assert.equal(before.at(-1), after.at(-1), "tea has not changed");
});

test("each of several changes waits for a page that was begun before the first, and expires it", async () => {
  const steps: string[] = [];
  const tags = withChanges(["list", "milk"]);
  const end = registerRender(tags);
  const found = [1, 2].map((change) => {
    const renders = findRenders(["list"]);
    recordChange(["list"]);
    void renders.over.then(() => steps.push(`change ${change}`));
    return renders;
  });
  assert.deepEqual(
    found.map((renders) => renders.tags),
    [["list@0"], ["list@0"]],
  );
  await Promise.resolve();
  steps.push("rendered");
  end();
  await Promise.all(found.map(({ over }) => over));
  assert.deepEqual(steps, ["rendered", "change 1", "change 2"]);
  assert.deepEqual(findRenders(["list"]).tags, []);
  assert.equal(globalThis.rostrumRenders?.size, 0);
});
