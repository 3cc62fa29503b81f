/** docs/specification.md, section 3: of all that readers and receivers get, nothing changes without approval. */
import assert from "node:assert/strict";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { describe, test } from "node:test";
import { CHIEF, DAY, fullArticle, FUTURE, makeArticle, TODAY, WRITER } from "../helpers/articles.ts";
import { clockedService } from "../helpers/service.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { publishedEvent, detailAdditions, toListForm } from "../../src/domain/articles/api-format.ts";
import { applyDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { restoreRevision } from "../../src/operations/articles/review/revisions.ts";
import { findNewest } from "../../src/store/articles/revisions.ts";
import type { StoredFull } from "../../src/store/store.ts";
import { cases, fc } from "../helpers/properties.ts";
import { publishDueArticles } from "../../src/operations/articles/write/schedule.ts";

const { service, deps } = await clockedService();

const make = async (input: ArticleInput): Promise<string> =>
  (await articles.createArticle(deps, service.website.id, makeArticle(input), CHIEF)).article.id;

/** Every byte that anybody gets of the article, but for its status and the times of its changes. */
async function delivered(id: string): Promise<string> {
  const { article, body } = await articles.getArticle(deps, id);
  const { articles: listed } = await service.list(`?status=${article.status}&slug=${article.slug}`);
  const { payload } = publishedEvent({ article, body }, { id: "event", at: 0, actor: "somebody", traceparent: null });
  const exported: string[] = [];
  for await (const line of exportArticles(deps, service.website.id)) if (line.includes(id)) exported.push(line);
  const detail = { ...toListForm(article), ...detailAdditions(article, body), pipeline_steps: body.suppliedSteps };
  if (article.status !== "pending") {
    const { pipeline_steps: _steps, ...read } = await service.detail(id);
    assert.deepEqual({ ...read, pipeline_steps: body.suppliedSteps }, JSON.parse(JSON.stringify(detail)));
  }
  return JSON.stringify([detail, listed, payload, exported]).replaceAll(CHANGES_BY_ITSELF, "$1…");
}

const CHANGES_BY_ITSELF =
  /(\\*"(?:status|updated_at|approved_at|publish_at|evaluated_at)\\*":)(?:null|\\*"[^"\\]*\\*")/g;
const PUBLISHED_AT = /(\\*"published_at\\*":)(?:null|\\*"[^"\\]*\\*")/g;

const texts = fc.constantFrom(null, "one", "two");
const lists = fc.constantFrom<string[][]>([], ["one"], ["one", "two"]);
const time = fc.constantFrom(TODAY, TODAY + DAY);
const url = fc.constantFrom(null, "https://example.com/one", "https://example.com/two");
const change: fc.Arbitrary<ArticleInput> = fc.record(
  {
    title: fc.constantFrom("One", "Two"),
    slug: fc.constantFrom("slug-one", "slug-two"),
    excerpt: texts,
    seoKeywords: lists,
    metaDescription: texts,
    targetKeyword: texts,
    featuredImageUrl: url,
    featuredImageAlt: texts,
    authors: fc.constantFrom([], [{ name: "One", url: null }], [{ name: "One", url: "https://one.example" }]),
    metaTitle: texts,
    canonicalUrl: url,
    aliases: lists,
    language: fc.constantFrom(null, "de", "pt-BR"),
    translationGroup: texts,
    categories: lists,
    tags: lists,
    internalLinks: fc.constantFrom(null, [], [{ text: "a", url: "/a" }]),
    createdAt: time,
    updatedAt: time,
    publishedAt: time,
    publishAt: fc.constantFrom(null, FUTURE + 2 * DAY),
    platformUrl: url,
    platformPostId: texts,
    userId: texts,
    reportedMetrics: fc.constantFrom(null, { score: 1 }),
    pipelineSteps: fc.constantFrom([]),
  },
  { requiredKeys: [] },
);
const text: fc.Arbitrary<ArticleInput> = fc.constantFrom<ArticleInput[]>(
  {},
  {},
  { content: '<p>One <img src="a.png" alt="a"></p>' },
  { content: '<p>One <img src="a.png" alt="b"></p>' },
  { markdown: "One ![a](a.png)" },
  { markdown: "One  ![a](a.png)" },
  { markdown: "One", content: "<p>One</p>" },
  { markdown: "__One__", content: "<p>One</p>" },
);
const edit = fc.tuple(fc.constantFrom("update", "import", "restore", "draft"), change, text);

async function tryEdit(id: string, [kind, one, other]: [string, ArticleInput, ArticleInput]): Promise<void> {
  const input = { ...one, ...other };
  try {
    if (kind === "update") await articles.updateArticle(deps, id, input, WRITER);
    else if (kind === "draft") await saveDraftCopy(deps, id, input, WRITER);
    else if (kind === "import") {
      async function* items() {
        const full = { title: "One", content: "<p>One</p>", ...input, id };
        yield { kind: "draft" as const, source: "s", ref: `ref:${id}`, input: full };
      }
      await importArticles(deps, service.website.id, items(), { events: false, dryRun: false, actor: WRITER });
    } else {
      // It was loaded as it is stored.
      const { article } = (await articles.getArticle(deps, id)) as StoredFull;
      const newest = await deps.store.read((db) => findNewest(db, article.rowNo));
      if (newest === undefined) return;
      await restoreRevision(deps, id, newest.id, WRITER, { version: article.version, draftSavedAt: null });
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

const approved = async (kind: "new" | "taken down" | "planned", input: ArticleInput): Promise<string> => {
  const { content, ...others } = fullArticle(input);
  const written = input.markdown === undefined ? { ...others, content: content ?? "" } : others;
  const id = await make({ ...written, status: kind === "taken down" ? "published" : "approved" });
  if (kind === "taken down") await articles.unpublishArticle(deps, id, CHIEF);
  if (kind === "planned") await articles.scheduleArticle(deps, id, deps.now + DAY, CHIEF);
  return id;
};

test("an edit withdraws approval and schedule if it changes anything that is delivered, and otherwise keeps both", async () => {
  const seen = { changed: 0, same: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("new" as const, "taken down" as const, "planned" as const),
      fc.constantFrom<ArticleInput[]>({}, { markdown: "One" }),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      async (kind, input, edits) => {
        const id = await approved(kind, input);
        const before = await delivered(id);
        for (const one of edits) await tryEdit(id, one);
        const { article } = await articles.getArticle(deps, id);
        if ((await delivered(id)) === before) {
          seen.same += 1;
          assert.equal(article.status, "approved");
          return;
        }
        seen.changed += 1;
        assert.deepEqual([article.status, article.approvedHash, article.publishAt], ["pending", null, null]);
        await assert.rejects(articles.publishArticle(deps, id, CHIEF), { code: "conflict" });
      },
    ),
    { numRuns: cases(60) },
  );
  assert.ok(seen.changed > cases(10), JSON.stringify(seen));
});

test("an edit without changes keeps approval and schedule, and the approved text is published", async () => {
  for (const kind of ["new", "taken down", "planned"] as const) {
    const id = await approved(kind, {});
    const was = await articles.getArticle(deps, id);
    const before = await delivered(id);
    await articles.updateArticle(deps, id, { title: was.article.title, tags: was.article.tags }, WRITER);
    if (kind === "planned") {
      deps.now += DAY;
      await publishDueArticles(deps, 100);
    } else await articles.publishArticle(deps, id, CHIEF);
    assert.equal((await service.detail(id))["status"], "published");
    // The first publication is its own date.
    const isFirst = was.article.publishedAt === null;
    const after = await delivered(id);
    if (isFirst) assert.equal(after.replaceAll(PUBLISHED_AT, "$1…"), before.replaceAll(PUBLISHED_AT, "$1…"));
    else assert.equal(after, before);
  }
});

test("people who may not approve cannot change anything live by any route", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
      const id = await make({ ...fullArticle(), status: "published" });
      const before = await delivered(id);
      for (const one of edits) await tryEdit(id, one);
      assert.equal(await delivered(id), before);
    }),
    { numRuns: cases(20) },
  );
});

describe("an article whose stored text is not what was approved", () => {
  for (const [column, table] of [
    ["title", "articles"],
    ["slug", "articles"],
    ["excerpt", "articles"],
    ["target_keyword", "articles"],
    ["featured_image_alt", "articles"],
    ["platform_url", "articles"],
    ["platform_post_id", "articles"],
    ["user_id", "articles"],
    ["html", "article_bodies"],
    ["markdown", "article_bodies"],
    ["text", "article_bodies"],
  ] as const) {
    test(`is not published, whatever put it there: ${column}`, async () => {
      const id = await approved("planned", { markdown: "One" });
      await service.app.store.write((db) =>
        db.run(`UPDATE ${table} SET ${column} = 'Other' WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)`, id),
      );
      await assert.rejects(articles.publishArticle(deps, id, CHIEF), { code: "conflict", message: /changed since/ });
      await assert.rejects(articles.scheduleArticle(deps, id, deps.now + DAY, CHIEF), { code: "conflict" });
    });
  }
});

test("a receiver may report the URL of a published article without affecting its approval", async () => {
  const id = await make({ status: "published" });
  const place = { platformUrl: "https://blog.example.com/x", platformPostId: "9" };
  const published = { websiteId: service.website.id, articleId: id };
  const receive = (receipt: typeof place) => service.app.store.write((db) => saveReceipt(db, deps, published, receipt));
  await receive(place);
  assert.equal((await service.detail(id))["platform_url"], place.platformUrl);
  await articles.unpublishArticle(deps, id, CHIEF);
  await receive({ platformUrl: "https://blog.example.com/late", platformPostId: "10" });
  assert.equal((await service.detail(id))["platform_url"], place.platformUrl, "it is not published any more");
  assert.equal((await articles.publishArticle(deps, id, CHIEF)).article.status, "published");
});

test("restoring an article under a new slug counts as a new approval by the person who restores it", async () => {
  const id = await make({ status: "approved", slug: "given-away-later" });
  await articles.deleteArticle(deps, id, CHIEF);
  await make({ slug: "given-away-later" });
  deps.now += 1_000;
  const restored = await articles.restoreArticle(deps, id, WRITER);
  assert.deepEqual([restored.article.status, restored.article.slug], ["pending", "given-away-later-2"]);
});

describe("Markdown is delivered without what is taken from the HTML", () => {
  const MARKDOWN = 'Fine __text__.\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) <b onclick="x()">b</b>\n';
  const CLEAN = "Fine **text**.\n\na **b**\n";

  test("neither in events, nor in the feed; exports have it as it was written", async () => {
    const sequence = await service.lastSequence();
    const id = await make({ markdown: MARKDOWN, status: "published" });
    await saveDraftCopy(deps, id, { markdown: `More.\n\n${MARKDOWN}` }, WRITER);
    await applyDraftCopy(deps, id, CHIEF);
    const events = await service.eventsAfter(sequence);
    assert.deepEqual(
      events.map(({ data }) => (data["content"] as Record<string, unknown>)["markdown"]),
      [CLEAN, `More.\n\n${CLEAN}`],
    );
    const lines = await Array.fromAsync(exportArticles(deps, service.website.id));
    assert.equal(record(lines, id)["markdown"], `More.\n\n${MARKDOWN}`);
  });

  test("a change of the Markdown alone is sent to receivers", async () => {
    const id = await make({ markdown: "*One*", status: "published" });
    const sequence = await service.lastSequence();
    await articles.updateArticle(deps, id, { markdown: "_One_" }, CHIEF);
    const [event] = await service.eventsAfter(sequence);
    assert.deepEqual([event?.event, event?.data["updated_fields"]], ["article.updated", ["content"]]);
  });
});

function record(lines: readonly string[], id: string): Record<string, unknown> {
  return JSON.parse(lines.find((line) => line.includes(id)) ?? "{}") as Record<string, unknown>;
}
