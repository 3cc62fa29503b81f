/** docs/specification.md, section 3: what each state allows and forbids, and which events it sends. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CHIEF, DAY, makeArticle } from "../helpers/articles.ts";
import { clockedService } from "../helpers/service.ts";
import type { ArticleStatus, FullArticle } from "../../src/domain/articles/article.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";

const { service, deps } = await clockedService();

const STATES = ["pending", "approved", "published", "trash"] as const;
type State = (typeof STATES)[number];

async function articleIn(state: State): Promise<string> {
  const status: ArticleStatus = state === "trash" ? "pending" : state;
  const { article } = await articles.createArticle(deps, service.website.id, makeArticle({ status }), CHIEF);
  if (state === "trash") await articles.deleteArticle(deps, article.id, CHIEF);
  return article.id;
}

const TRANSITIONS: {
  name: string;
  run: (id: string) => Promise<FullArticle>;
  /** From each state that allows it: to where, and the events. */
  allowed: Partial<Record<State, { to: State; events: string[] }>>;
}[] = [
  {
    name: "approve",
    run: (id) => articles.approveArticle(deps, id, CHIEF),
    allowed: { pending: { to: "approved", events: [] } },
  },
  {
    name: "publish",
    run: (id) => articles.publishArticle(deps, id, CHIEF),
    allowed: { approved: { to: "published", events: ["article.published"] } },
  },
  {
    name: "schedule",
    run: (id) => articles.scheduleArticle(deps, id, deps.now + DAY, CHIEF),
    allowed: { approved: { to: "approved", events: [] } },
  },
  {
    name: "approve and publish",
    run: (id) => articles.approveAndPublishArticle(deps, id, CHIEF),
    allowed: { pending: { to: "published", events: ["article.published"] } },
  },
  {
    name: "request changes",
    run: (id) => articles.requestChanges(deps, id, "Say more.", CHIEF),
    allowed: { pending: { to: "pending", events: [] }, approved: { to: "pending", events: [] } },
  },
  {
    name: "unpublish",
    run: (id) => articles.unpublishArticle(deps, id, CHIEF),
    allowed: { published: { to: "approved", events: ["article.deleted"] } },
  },
  {
    name: "delete",
    run: (id) => articles.deleteArticle(deps, id, CHIEF),
    allowed: {
      pending: { to: "trash", events: ["article.deleted"] },
      approved: { to: "trash", events: ["article.deleted"] },
      published: { to: "trash", events: ["article.deleted"] },
    },
  },
  {
    name: "restore",
    run: (id) => articles.restoreArticle(deps, id, CHIEF),
    allowed: { trash: { to: "pending", events: [] } },
  },
];

function stateOf({ article }: FullArticle): State {
  return article.deletedAt === null ? article.status : "trash";
}

for (const { name, run, allowed } of TRANSITIONS) {
  for (const from of STATES) {
    const expected = allowed[from];
    if (expected === undefined) {
      test(`${name} is refused from ${from}, with a sentence, and changes nothing`, async () => {
        const id = await articleIn(from);
        const before = await articles.getArticle(deps, id);
        const sequence = await service.lastSequence();
        deps.now += 1_000;
        await assert.rejects(run(id), (error) => {
          assert.ok(error instanceof AppError);
          assert.equal(error.code, "conflict");
          assert.match(error.message, /^[A-Z].{15,}\.$/);
          return true;
        });
        assert.deepEqual(await articles.getArticle(deps, id), before);
        assert.deepEqual(await service.eventsAfter(sequence), []);
      });
    } else {
      test(`${name} takes an article from ${from} to ${expected.to}`, async () => {
        const id = await articleIn(from);
        const sequence = await service.lastSequence();
        assert.equal(stateOf(await run(id)), expected.to);
        assert.equal(stateOf(await articles.getArticle(deps, id)), expected.to);
        assert.deepEqual(
          (await service.eventsAfter(sequence)).map(({ event }) => event),
          expected.events,
        );
      });
    }
  }
}

describe("deletion and restoring", () => {
  for (const status of ["pending", "approved", "published"] as const) {
    test(`an article that was ${status} is in that state again when it is restored, and readers see it`, async () => {
      const id = await articleIn(status);
      const before = (await articles.getArticle(deps, id)).article;
      await articles.deleteArticle(deps, id, CHIEF);
      assert.equal((await service.get(`/api/public/articles/${id}`)).status, 404);
      const sequence = await service.lastSequence();
      const { article } = await articles.restoreArticle(deps, id, CHIEF);
      const { version: _version, updatedAt: _at, ...same } = article;
      const { version: _before, updatedAt: _was, rowNo: _row, ...old } = { rowNo: 0, ...before };
      const { rowNo: _r, ...now } = { rowNo: 0, ...same };
      assert.deepEqual(now, old);
      assert.equal((await service.get(`/api/public/articles/${id}`)).status, status === "pending" ? 403 : 200);
      assert.deepEqual(
        (await service.eventsAfter(sequence)).map(({ event }) => event),
        status === "published" ? ["article.published"] : [],
      );
    });
  }

  test("an article whose slug was given away while it was in the trash comes back under the next free one", async () => {
    const input = makeArticle({ slug: "given-away", status: "published" });
    const { article } = await articles.createArticle(deps, service.website.id, input, CHIEF);
    await articles.deleteArticle(deps, article.id, CHIEF);
    const other = await articles.createArticle(deps, service.website.id, makeArticle({ slug: "given-away" }), CHIEF);
    assert.equal(other.article.slug, "given-away");
    assert.equal((await articles.restoreArticle(deps, article.id, CHIEF)).article.slug, "given-away-2");
  });
});

test("requesting changes needs a reason, clears approved_at and the schedule, and says why in the approve step", async () => {
  const id = await articleIn("approved");
  await articles.scheduleArticle(deps, id, deps.now + DAY, CHIEF);
  await assert.rejects(articles.requestChanges(deps, id, "  ", CHIEF), { code: "invalid", field: "reason" });
  const { article, body } = await articles.requestChanges(deps, id, "Too short.", CHIEF);
  assert.deepEqual([article.status, article.approvedAt, article.publishAt], ["pending", null, null]);
  const step = body.steps.find((one) => one.name === "approve");
  assert.deepEqual(step?.error, { code: "changes_requested", message: "Too short." });
  assert.equal(step?.status, "failed");
  await articles.submitArticle(deps, id, CHIEF);
  const approved = await articles.approveArticle(deps, id, CHIEF);
  assert.equal(approved.body.steps.find((one) => one.name === "approve")?.status, "completed");
});

test("every transition of an unknown article is refused as not found", async () => {
  for (const { run } of TRANSITIONS) {
    await assert.rejects(run("00000000-0000-4000-8000-000000000000"), { code: "not_found" });
  }
});

test("of two publications at the same time one is refused, and there is one event", async () => {
  const id = await articleIn("approved");
  const sequence = await service.lastSequence();
  const results = await Promise.allSettled([1, 2, 3].map(() => articles.publishArticle(deps, id, CHIEF)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal((await service.eventsAfter(sequence)).length, 1);
});
