/** Near duplicates: which articles of a website are alike, what review says of them, and which hold an approval. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { bandWords } from "../../src/domain/articles/content/measure/fingerprint.ts";
import { queryWords } from "../../src/domain/articles/content/measure/search.ts";
import { BLANK_SOURCE } from "../../src/domain/articles/content/content-source.ts";
import { stepDone } from "../../src/domain/articles/workflow.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { writeArticle } from "../../src/operations/articles/write/article-changes.ts";
import { deleteArticle, restoreArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { listAlike, toFinding } from "../../src/operations/articles/review/alike.ts";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import type { Actor } from "../../src/operations/system/deps.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { findFingerprint } from "../../src/store/articles/quality/fingerprints.ts";
import { wordsQuery } from "../../src/store/articles/search.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, records } from "../helpers/http.ts";
import { openTeam, type Team } from "../helpers/team.ts";

let team: Team;
let machine: Actor;
/** Texts of different tests have nothing in common. */
let subject = 0;

before(async () => {
  team = await openTeam();
  const input = { name: "The generator", scope: "publish", expiresAt: null } as const;
  const { token } = await createToken(team.service.app, team.service.website.id, input, CLI_ORIGIN);
  machine = { id: token.id, mayApprove: true, isMachine: true };
});
after(() => team[Symbol.asyncDispose]());

/** A text of 120 words; those from `from` on are of `other`. */
function text(other = subject, from = 120): string {
  return Array.from({ length: 120 }, (_, at) => `word${at}of${at < from ? subject : other}`).join(" ");
}

function draft(title: string, markdown: string, input: ArticleInput = {}): Promise<string> {
  const { content: _content, ...rest } = makeArticle({ title, ...input });
  return team.newArticle({ ...rest, markdown });
}

async function byMachine(title: string, markdown: string, input: ArticleInput = {}): Promise<string> {
  const { app, website } = team.service;
  const { content: _content, ...rest } = makeArticle({ title, ...input });
  const written = await writeArticle(app, website.id, { ...rest, markdown }, machine, { authorId: machine.id });
  return written.article.id;
}

async function alike(id: string): Promise<Json[]> {
  return records((await team.page(id)).all["alike"]);
}

const titles = (found: Json[]) => found.map(({ title }) => title);

function setting(change: Parameters<typeof updateWebsite>[2]) {
  return updateWebsite(team.service.app, team.service.website.id, change, CLI_ORIGIN);
}

const blocking = async (id: string) => (await alike(id)).map(({ title, blocks }) => [title, blocks]);

async function stored(id: string): Promise<string | undefined> {
  const { article } = await team.stored(id);
  return team.service.app.store.read((db) => findFingerprint(db, article.rowNo));
}

describe("review", () => {
  test("names the articles with nearly the same text, the most similar first", async () => {
    subject++;
    const first = await draft("First", text());
    const copy = await draft("Copy", `${text()} And one more sentence.`);
    const half = await draft("Half", text(1_000, 100));
    await draft("Other", text(2_000, 40));
    const found = await alike(first);
    assert.deepEqual(titles(found), ["Copy", "Half"]);
    assert.deepEqual(
      found.map(({ article_id: id }) => id),
      [copy, half],
    );
    const [most, less] = found.map(({ share }) => Number(share));
    assert.ok(most !== undefined && most >= 85 && most <= 100, String(most));
    assert.ok(less !== undefined && less >= 50 && less <= 90, String(less));
    assert.deepEqual(titles(await alike(copy)), ["First", "Half"]);
  });

  test("finds nothing for a text of a few words", async () => {
    await draft("Note", "Tea is good.");
    assert.deepEqual(await alike(await draft("Note again", "Tea is good.")), []);
  });

  test("finds no article of another website, and none in the trash", async () => {
    subject++;
    const { app } = team.service;
    const own = await draft("Own", text());
    const other = await team.service.newWebsite({ name: "Other" });
    const { content: _content, ...rest } = makeArticle({ title: "Elsewhere" });
    await writeArticle(app, other.id, { ...rest, markdown: text() }, CHIEF);
    assert.deepEqual(await alike(own), []);
    const trashed = await draft("Trashed", text());
    assert.deepEqual(titles(await alike(own)), ["Trashed"]);
    await deleteArticle(app, trashed, CHIEF);
    assert.deepEqual(await alike(own), []);
    await restoreArticle(app, trashed, CHIEF);
    assert.deepEqual(titles(await alike(own)), ["Trashed"]);
  });

  test("names ten at most", async () => {
    subject++;
    const own = await draft("Own", text());
    for (let number = 0; number < 12; number++) await draft(`Copy ${number}`, text());
    assert.equal((await alike(own)).length, 10);
  });

  test("leaves out articles of one series, and no others", async () => {
    subject++;
    const own = await draft("1.0", text(), { tags: ["Release notes"] });
    await draft("1.1", text(), { categories: ["RELEASE NOTES"] });
    await draft("Stray", text(), { tags: ["News"] });
    assert.equal((await alike(own)).length, 2);
    await setting({ seriesLabels: ["release notes", "News"] });
    try {
      assert.deepEqual(titles(await alike(own)), ["Stray"]);
    } finally {
      await setting({ seriesLabels: [] });
    }
  });
});

describe("an article is held", () => {
  test("if a machine wrote it and the text is there already, but not if a person did", async () => {
    subject++;
    const human = await draft("Human", text());
    const generated = await byMachine("Generated", text());
    assert.deepEqual(await blocking(generated), [["Human", true]]);
    assert.deepEqual(await blocking(human), [["Generated", false]]);
    const step = stepDone("analyze", "generator", 0);
    const imported = await draft("Of a generator", text(), { pipelineSteps: [step] });
    assert.deepEqual(
      (await blocking(imported)).map(([, blocks]) => blocks),
      [true, true],
    );
  });

  test("by no text that only has much in common", async () => {
    subject++;
    await draft("Base", text());
    const [[title, blocks] = []] = await blocking(await byMachine("Half", text(3_000, 95)));
    assert.deepEqual([title, blocks], ["Base", false]);
  });

  test("if the same text stands under another language", async () => {
    subject++;
    await draft("German", text(), { language: "de" });
    const english = await draft("English", text(), { language: "en" });
    assert.deepEqual(await blocking(english), [["German", true]]);
    const british = await draft("British", text(), { language: "en-GB" });
    assert.deepEqual(
      new Map((await blocking(british)) as [string, boolean][]),
      new Map([
        ["English", false],
        ["German", true],
      ]),
    );
    // Of a website without a language nobody knows which one the article has.
    const unknown = await draft("Unknown", text());
    assert.ok((await blocking(unknown)).every(([, blocks]) => blocks === false));
    await setting({ language: "de" });
    try {
      assert.deepEqual(new Map((await blocking(unknown)) as [string, boolean][]).get("English"), true);
    } finally {
      await setting({ language: null });
    }
  });

  test("with a finding that has no place in the text", () => {
    assert.deepEqual(toFinding({ id: "a", title: "Green tea", language: null, share: 83, blocks: true }), {
      kind: "near_duplicate",
      severity: "block",
      field: "text",
      block: null,
      start: 0,
      end: 0,
      quote: "",
      message: "It is 83 % like “Green tea”.",
    });
  });
});

describe("the fingerprint", () => {
  test("follows the text, stays when other fields change, and goes with a text that is too short", async () => {
    subject++;
    const { app } = team.service;
    const id = await draft("Own", text());
    const first = await stored(id);
    const copy = await draft("Copy", text());
    const other = await draft("Other", text(4_000, 60));
    assert.deepEqual([titles(await alike(copy)), titles(await alike(other))], [["Own"], []]);
    await updateArticle(app, id, { tags: ["tea"] }, CHIEF);
    await updateArticle(app, id, { title: "Another" }, CHIEF);
    assert.equal(await stored(id), first);
    assert.deepEqual(titles(await alike(copy)), ["Another"]);
    await updateArticle(app, id, { markdown: text(4_000, 60) }, CHIEF);
    assert.notEqual(await stored(id), first);
    assert.deepEqual([titles(await alike(copy)), titles(await alike(other))], [[], ["Another"]]);
    await updateArticle(app, id, { markdown: "Short." }, CHIEF);
    assert.equal(await stored(id), undefined);
    assert.deepEqual([titles(await alike(copy)), titles(await alike(other))], [[], []]);
    await updateArticle(app, id, { markdown: text() }, CHIEF);
    assert.equal(await stored(id), first);
    assert.deepEqual(titles(await alike(copy)), ["Another"]);
  });

  test("follows the text even where the words stay the same", async () => {
    subject++;
    const { app } = team.service;
    const words = text().split(" ");
    const id = await draft("Own", words.join(" "));
    const turned = await draft("Turned", words.toReversed().join(" "));
    assert.deepEqual(titles(await alike(turned)), []);
    await updateArticle(app, id, { markdown: words.toReversed().join(" ") }, CHIEF);
    assert.deepEqual(titles(await alike(turned)), ["Own"]);
  });

  test("is no word that a search finds", async () => {
    subject++;
    const { app, website } = team.service;
    const id = await draft("Own", text());
    const minhash = (await stored(id)) ?? "";
    for (const word of bandWords(website.id, minhash).slice(0, 4)) {
      for (const query of [word, word.slice(1), `${word.slice(1, 6)}*`]) {
        const { sql, params } = wordsQuery(app.store, website.id, queryWords(query));
        const found = await app.store.read((db) => db.rowNumbers(sql, ...params));
        assert.deepEqual([...found], [], query);
      }
    }
  });

  test("of a text that is not saved yet can be given", async () => {
    subject++;
    const { app, website } = team.service;
    await draft("Base", text());
    const id = await draft("Draft", "Short.");
    const full = await team.stored(id);
    const source = { ...BLANK_SOURCE, markdown: text() };
    const { fingerprint } = await app.deriveContent(website.id, source, app.clock());
    assert.ok(fingerprint !== undefined);
    const found = await app.store.read((db) => listAlike(db, website, full, fingerprint));
    assert.deepEqual(
      found.map(({ title, share }) => [title, share]),
      [["Base", 100]],
    );
    assert.deepEqual(await app.store.read((db) => listAlike(db, website, full, null)), []);
  });
});
