/** docs/specification.md, section 3: approvals, dates, draft copies, taking down. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CHIEF, DAY, fullArticle, makeArticle, TODAY, WRITER } from "../helpers/articles.ts";
import { clockedService } from "../helpers/service.ts";
import type { ArticleInput, ArticleStatus } from "../../src/domain/articles/article.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy, discardDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { wrapStore } from "../helpers/wrap-store.ts";

const { service, deps } = await clockedService();

async function newArticle(status: ArticleStatus, input: ArticleInput = {}): Promise<string> {
  const made = await articles.createArticle(deps, service.website.id, makeArticle({ ...input, status }), CHIEF);
  return made.article.id;
}

const CHANGES: Record<string, ArticleInput> = {
  content: { content: "<p>Another text.</p>" },
  title: { title: "Another title" },
  excerpt: { excerpt: "Another summary." },
  slug: { slug: "another-slug" },
  tags: { tags: ["another"] },
  "date of creation": { createdAt: TODAY - DAY },
  "id on its platform": { platformPostId: "7" },
};

describe("approval is bound to content", () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    test(`changing the ${name} of an approved article withdraws its approval and its schedule`, async () => {
      const id = await newArticle("approved");
      await articles.scheduleArticle(deps, id, deps.now + DAY, CHIEF);
      const { article } = await articles.updateArticle(deps, id, change, WRITER);
      assert.deepEqual([article.status, article.approvedAt, article.publishAt], ["pending", null, null]);
      await assert.rejects(articles.publishArticle(deps, id, CHIEF), { code: "conflict" });
    });

    test(`changing the ${name} of an approved article approves it again if the editor may approve`, async () => {
      const id = await newArticle("approved");
      deps.now += 5_000;
      const { article } = await articles.updateArticle(deps, id, change, CHIEF);
      assert.deepEqual([article.status, article.approvedAt], ["approved", deps.now]);
      assert.equal((await articles.publishArticle(deps, id, CHIEF)).article.status, "published");
    });
  }

  test("a text that is not the one that was approved is never published, whatever changed it", async () => {
    const id = await newArticle("approved");
    await service.app.store.write((db) => db.run("UPDATE articles SET content_hash = 'other' WHERE id = ?", id));
    await assert.rejects(articles.publishArticle(deps, id, CHIEF), { code: "conflict", message: /changed since/ });
  });

  test("people who may not approve cannot change a published article", async () => {
    const id = await newArticle("published");
    await assert.rejects(articles.updateArticle(deps, id, { title: "Mine" }, WRITER), { code: "forbidden" });
  });
});

describe("dates", () => {
  test("approved_at is the time of the last approval", async () => {
    const id = await newArticle("approved");
    await articles.requestChanges(deps, id, "Again.", CHIEF);
    await articles.submitArticle(deps, id, CHIEF);
    deps.now += 60_000;
    assert.equal((await articles.approveArticle(deps, id, CHIEF)).article.approvedAt, deps.now);
  });

  test("published_at is the time of the first publication, and stays when the article is published again", async () => {
    const id = await newArticle("published");
    const first = (await articles.getArticle(deps, id)).article.publishedAt;
    assert.equal(first, deps.now);
    deps.now += DAY;
    assert.equal((await articles.unpublishArticle(deps, id, CHIEF)).article.publishedAt, first);
    assert.equal((await articles.publishArticle(deps, id, CHIEF)).article.publishedAt, first);
  });

  test("published_at is editable, and a new article may bring its own", async () => {
    const id = await newArticle("published", { publishedAt: TODAY - 100 * DAY, approvedAt: TODAY - 101 * DAY });
    const detail = await service.detail(id);
    assert.equal(detail["published_at"], new Date(TODAY - 100 * DAY).toISOString());
    assert.equal(detail["approved_at"], new Date(TODAY - 101 * DAY).toISOString());
    await articles.updateArticle(deps, id, { publishedAt: TODAY - 50 * DAY }, CHIEF);
    assert.equal((await service.detail(id))["published_at"], new Date(TODAY - 50 * DAY).toISOString());
  });

  test("a published article keeps a published_at: an edit that would clear it is refused", async () => {
    const id = await newArticle("published");
    await assert.rejects(articles.updateArticle(deps, id, { publishedAt: null }, CHIEF), { name: "AppError" });
    assert.notEqual((await service.detail(id))["published_at"], null);
  });
});

describe("editing a published article", () => {
  const EDITS: [string, ArticleInput, string[]][] = [
    ["title", { title: "Another title" }, ["title"]],
    ["excerpt", { excerpt: "Another summary." }, ["excerpt"]],
    ["slug", { slug: "another-slug" }, ["slug"]],
    ["seo_keywords", { seoKeywords: ["other"] }, ["seo_keywords"]],
    ["meta_description", { metaDescription: null }, ["meta_description"]],
    ["target_keyword", { targetKeyword: "other" }, ["target_keyword"]],
    ["featured_image_url", { featuredImageUrl: null }, ["featured_image_url"]],
    ["featured_image_alt", { featuredImageAlt: "Other" }, ["featured_image_alt"]],
    ["categories", { categories: [] }, ["categories"]],
    ["tags", { tags: ["b", "a"] }, ["tags"]],
    ["content", { content: "<p>Other.</p>" }, ["content"]],
    ["internal_links", { internalLinks: [{ text: "Other", url: "/other" }] }, ["internal_links"]],
    ["created_at", { createdAt: 1 }, ["created_at"]],
    ["published_at", { publishedAt: 2 }, ["published_at"]],
    ["platform_url", { platformUrl: "https://example.org/x" }, ["platform_url"]],
    ["platform_post_id", { platformPostId: "8" }, ["platform_post_id"]],
    ["quality_metrics", { reportedMetrics: { score: 1 } }, ["quality_metrics"]],
    ["pipeline_steps", { pipelineSteps: [] }, ["pipeline_steps"]],
    ["several at once", { tags: [], title: "T", metaDescription: "M" }, ["title", "meta_description", "tags"]],
  ];
  for (const [name, change, fields] of EDITS) {
    test(`changing ${name} sends one article.updated that names it`, async () => {
      const id = await newArticle("published", fullArticle());
      const sequence = await service.lastSequence();
      await articles.updateArticle(deps, id, change, CHIEF);
      const events = await service.eventsAfter(sequence);
      assert.deepEqual(
        events.map(({ event, data }) => [event, data["updated_fields"]]),
        [["article.updated", fields]],
      );
    });
  }

  test("an edit that changes nothing makes no event, no new version and no new updated_at", async () => {
    const input = fullArticle();
    const id = await newArticle("published", input);
    const before = await articles.getArticle(deps, id);
    const sequence = await service.lastSequence();
    deps.now += 1_000;
    for (const change of [{}, { title: before.article.title }, input, { slug: before.article.slug }]) {
      await articles.updateArticle(deps, id, change, CHIEF);
    }
    assert.deepEqual(await articles.getArticle(deps, id), before);
    assert.deepEqual(await service.eventsAfter(sequence), []);
  });

  test("no reader sees a draft copy until it is made live, in one step and one event", async () => {
    const id = await newArticle("published");
    const before = await service.get(`/api/public/articles/${id}`);
    const sequence = await service.lastSequence();
    await saveDraftCopy(deps, id, { title: "New title" }, WRITER);
    await saveDraftCopy(deps, id, { tags: ["new"] }, WRITER);
    const during = await service.get(`/api/public/articles/${id}`);
    assert.deepEqual([during.text, during.headers.etag], [before.text, before.headers.etag]);
    assert.deepEqual(await service.eventsAfter(sequence), []);
    await applyDraftCopy(deps, id, CHIEF);
    const detail = await service.detail(id);
    assert.deepEqual([detail["title"], detail["tags"]], ["New title", ["new"]]);
    assert.deepEqual(
      (await service.eventsAfter(sequence)).map(({ data }) => data["updated_fields"]),
      [["title", "tags"]],
    );
    await assert.rejects(applyDraftCopy(deps, id, CHIEF), { code: "conflict" });
  });

  test("a draft copy that changes nothing is applied without an event, and one can be discarded", async () => {
    const id = await newArticle("published", { title: "Same" });
    const sequence = await service.lastSequence();
    await saveDraftCopy(deps, id, { title: "Same" }, WRITER);
    await applyDraftCopy(deps, id, CHIEF);
    await saveDraftCopy(deps, id, { title: "Other" }, WRITER);
    await discardDraftCopy(deps, id, WRITER);
    await assert.rejects(discardDraftCopy(deps, id, WRITER), { code: "conflict" });
    assert.deepEqual(await service.eventsAfter(sequence), []);
    assert.equal((await service.detail(id))["title"], "Same");
  });

  test("only a published article has a draft copy", async () => {
    for (const status of ["pending", "approved"] as const) {
      const id = await newArticle(status);
      await assert.rejects(saveDraftCopy(deps, id, { title: "X" }, CHIEF), { code: "conflict" });
    }
  });
});

test("unpublishing sends article.deleted, and publishing again sends article.published", async () => {
  const id = await newArticle("published");
  const sequence = await service.lastSequence();
  await articles.unpublishArticle(deps, id, CHIEF);
  await articles.publishArticle(deps, id, CHIEF);
  assert.deepEqual(
    (await service.eventsAfter(sequence)).map(({ event, data }) => [event, data["article_id"]]),
    [
      ["article.deleted", id],
      ["article.published", id],
    ],
  );
});

test("an edit keeps id and status, and is refused if it names another one", async () => {
  const id = await newArticle("pending");
  await assert.rejects(articles.updateArticle(deps, id, { status: "published" }, CHIEF), { field: "status" });
  const other = { id: "0198a3b2-0000-7000-8000-000000000000" };
  await assert.rejects(articles.updateArticle(deps, id, other, CHIEF), { field: "id" });
});

test("an edit that was prepared before another person's change is refused, and neither is lost", async () => {
  const id = await newArticle("published");
  // Nobody writes before all of them have read.
  const { store } = deps;
  const all = Promise.withResolvers<void>();
  let prepared = 0;
  const write: typeof store.write = async (work, options) => {
    if (++prepared === 3) all.resolve();
    await all.promise;
    return store.write(work, options);
  };
  const together = { ...deps, store: wrapStore(store, { write }) };
  const edits = ["One", "Two", "Three"].map((title) => articles.updateArticle(together, id, { title }, CHIEF));
  const results = await Promise.allSettled(edits);
  const done = results.filter(({ status }) => status === "fulfilled");
  assert.equal(done.length, 1);
  for (const one of results)
    if (one.status === "rejected") assert.equal((one.reason as { code: string }).code, "conflict");
});

test("an article's address follows the pattern of the moment it is saved, not of the moment its text was prepared", async () => {
  const { id: websiteId } = await service.newWebsite({ urlPattern: "https://example.com/old/{slug}" });
  const slow: typeof deps = {
    ...deps,
    deriveContent: async (...asked) => {
      const prepared = await deps.deriveContent(...asked);
      await updateWebsite(deps, websiteId, { urlPattern: "https://example.com/new/{slug}" }, CLI_ORIGIN);
      return prepared;
    },
  };
  const input = makeArticle({ slug: "note", status: "published" });
  const { article } = await articles.createArticle(slow, websiteId, input, CHIEF);
  assert.equal(article.platformUrl, "https://example.com/new/note");
});
