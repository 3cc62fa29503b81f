/** docs/specification.md, 4.2: the detail is joined from stored texts, and equals what serialising the article gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHIEF, fullArticle, makeArticle } from "../helpers/articles.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { detailAdditions, toListForm } from "../../src/domain/articles/api-format.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { findFullArticle } from "../../src/store/articles/articles.ts";

const INPUTS = {
  "has everything": fullArticle({ slug: "everything", title: "Everything" }),
  "has only what is required": makeArticle({ title: "Little" }),
  "has text that JSON escapes": makeArticle({
    title: 'Quotes " and \\ and \u2028',
    content: '<p>"Quoted" \\ back, \u2028 line, 🫖 tea</p><pre><code>a\n\tb</code></pre>',
  }),
};

for (const [what, input] of Object.entries(INPUTS)) {
  test(`an article that ${what} is delivered exactly as it would be serialised, the first time and from memory`, async () => {
    await using service = await startTestService();
    const { app, website } = service;
    const { article } = await createArticle(app, website.id, { ...input, status: "published" }, CHIEF);
    const full = await app.store.read((db) => findFullArticle(db, website.id, article.id));
    assert.ok(full);
    const whole = { ...toListForm(full.article), ...detailAdditions(full.article, full.body) };
    const expected = JSON.stringify({ success: true, data: { article: whole } });
    for (let time = 0; time < 3; time++) {
      assert.equal((await service.get(`${LIST}/${article.id}`)).text, expected);
    }
  });
}
