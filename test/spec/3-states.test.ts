/** Section 3: the three states. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { oneOfEach } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import type { FullArticle } from "../../src/domain/articles/article.ts";

let service: TestService;
let made: Record<"published" | "approved" | "pending", FullArticle>;

before(async () => {
  service = await startTestService();
  made = await oneOfEach(service.app, service.website.id);
});
after(() => service[Symbol.asyncDispose]());

for (const status of ["published", "approved", "pending"] as const) {
  test(`3: an article in the state ${status} says so, and is in the list of that state only`, async () => {
    for (const other of ["published", "approved", "pending"] as const) {
      const { articles } = await service.list(`?status=${other}`);
      const ids = articles.map((one) => one["id"]);
      assert.deepEqual(ids, [made[other].article.id]);
      assert.equal(articles[0]?.["status"], other);
      assert.equal(ids.includes(made[status].article.id), other === status);
    }
  });
}

test("3 published: is visible by default in the list", async () => {
  const { articles } = await service.list();
  assert.deepEqual(
    articles.map((one) => one["id"]),
    [made.published.article.id],
  );
});

test("3 approved: is not yet published and has no published_at", async () => {
  assert.equal((await service.detail(made.approved.article.id))["published_at"], null);
});
