/** The response to a save is made from what was saved, and equals what reading the article returns. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import type { Writer } from "../../src/store/store.ts";
import { CHIEF, fullArticle } from "../helpers/articles.ts";
import { type Json, record } from "../helpers/http.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { changeStore } from "../helpers/wrap-store.ts";
import { type Browser, type People, people } from "../people/dashboard.ts";
import { recordSql } from "../postgres/plans.ts";

/** Queries of an article with its text since it was last set to 0. */
let textsRead = 0;
const count = (sql: string) => {
  if (/FROM articles JOIN .* article_bodies/s.test(sql)) textsRead++;
};
const countTexts = changeStore((store) => ({
  read: (work) => store.read((db) => work(recordSql(db as Writer, count))),
  write: (work, options) => store.write((db) => work(recordSql(db, count)), options),
}));

let service: TestService;
let all: People;
let owner: Browser;

before(async () => {
  service = await startTestService({}, countTexts);
  all = people(service);
  owner = await all.owner();
});
after(async () => {
  all[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  textsRead = 0;
});

const UNUSUAL = {
  title: "Ti\u2028tle 𝔘 \u200bé <b>&amp;</b>",
  seo_keywords: ["__proto__", "ß", "𝔘"],
  categories: ["Ünïcode", "unïcode"],
  tags: ["a,b", '"quoted"'],
  featured_image_alt: "  Alt  ",
  platform_post_id: "-0",
};
const TEXTS: [name: string, text: Json][] = [
  ["none", {}],
  ["Markdown", { markdown: "# Hello\n\n*World* 𝔘 \u2028 \ufeff | a | b |\n\n[link](/x?a=1&b=2)\n" }],
  ["HTML", { content: '<h2 id="x">Ä</h2><p>a\u00a0b <img src="/a.png" alt="&quot;"> <a href="/b">b</a></p>' }],
];

for (const [name, text] of TEXTS) {
  test(`the response to creating an article has what a later read has; its text: ${name}`, async () => {
    const body = { website_id: service.website.id, title: UNUSUAL.title, ...text };
    const saved = await owner.send("POST", "/articles", body);
    assert.equal(saved.status, 201, saved.text);
    assert.equal(textsRead, 0);
    await assertAsRead(saved.text);
  });
}

test("so has the response to an edit, with and without a change, and to an approval", async () => {
  const { article } = await createArticle(service.app, service.website.id, fullArticle({ status: "pending" }), CHIEF);
  for (const changes of [
    { ...UNUSUAL, markdown: "New *text*.", excerpt: null },
    { markdown: "New *text*." },
    { slug: null },
  ]) {
    const { line } = await owner.json("GET", `/articles/${article.id}`);
    textsRead = 0;
    const body = { version: record(line)["version"], draft_saved_at: null, changes };
    const saved = await owner.send("PATCH", `/articles/${article.id}`, body);
    assert.equal(saved.status, 200, saved.text);
    assert.ok(textsRead <= 2, "once to compare, once to change");
    await assertAsRead(saved.text);
  }
  const { line } = await owner.json("GET", `/articles/${article.id}`);
  textsRead = 0;
  const approved = await owner.send("POST", `/articles/${article.id}/approve`, { version: record(line)["version"] });
  assert.equal(approved.status, 200, approved.text);
  assert.equal(textsRead, 1);
  await assertAsRead(approved.text);
});

test("so has the response to an edit of a published article, drafted, published, and live beside a draft", async () => {
  const { article } = await createArticle(service.app, service.website.id, fullArticle({ status: "published" }), CHIEF);
  await saveDraftCopy(service.app, article.id, { title: "Drafted" }, CHIEF);
  const steps: [asDraft: boolean | null, changes: Json][] = [
    [false, { markdown: "Live at once." }],
    [true, { markdown: "Drafted text.", tags: ["later"] }],
    [null, {}],
  ];
  for (const [asDraft, changes] of steps) {
    const { line, draft } = await owner.json("GET", `/articles/${article.id}`);
    const seen = { version: record(line)["version"], draft_saved_at: record(draft)["saved_at"] };
    const saved =
      asDraft === null
        ? await owner.send("POST", `/articles/${article.id}/draft/publish`, seen)
        : await owner.send("PATCH", `/articles/${article.id}`, { ...seen, as_draft: asDraft, changes });
    assert.equal(saved.status, 200, saved.text);
    await assertAsRead(saved.text);
  }
});

async function assertAsRead(saved: string): Promise<void> {
  const { id } = record((JSON.parse(saved) as Json)["article"]);
  const read = await owner.send("GET", `/articles/${String(id)}`);
  assert.equal(saved, read.text);
}
