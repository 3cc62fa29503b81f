/** docs/specification.md, 4.1, `q`: full text, in every script, of any input. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { searchTokens, wordForms } from "../../src/domain/articles/content/measure/search.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { anyCharacter } from "../helpers/any-character.ts";
import { cases, fc } from "../helpers/properties.ts";

let service: TestService;

const ARTICLES: Record<string, ArticleInput> = {
  english: {
    title: "Brewing tea",
    content: "<p>Don't boil <em>it</em>: rock'n'roll, C++ and 3.5 g of tea-leaves.</p>",
  },
  german: { title: "Über Größe", content: "<p>Ostfriesentee: die Straße nach Groß-Köln.</p>" },
  french: { title: "Crème brûlée", content: "<p>Un café à l’œuvre, naïve façade.</p>" },
  japanese: { title: "緑茶の淹れ方", content: "<p>水出し煎茶は冷たい水で淹れる。コーヒーとは違う。</p>" },
  chinese: { title: "龙井茶", content: "<p>中国的绿茶,清香。</p>" },
  korean: { title: "한국의 차", content: "<p>녹차를 우려내는 방법.</p>" },
  thai: { title: "ชาไทย", content: "<p>ชาร้อนกับนม</p>" },
  russian: { title: "Чай по-русски", content: "<p>Ёлка и самовар.</p>" },
  arabic: { title: "شاي", content: "<p>شَاي بالنَعناع في المغرب</p>" },
  labelled: {
    title: "Labels",
    content: "<p>Text.</p>",
    tags: ["Darjeeling"],
    categories: ["Schwarztee"],
    seoKeywords: ["first flush"],
    targetKeyword: "muscatel",
  },
};

before(async () => {
  service = await startTestService();
  for (const [slug, input] of Object.entries(ARTICLES)) {
    const all = makeArticle({ ...input, slug, status: "published" });
    await articles.createArticle(service.app, service.website.id, all, CHIEF);
  }
});
after(() => service[Symbol.asyncDispose]());

async function found(q: string): Promise<unknown[]> {
  const { articles: list, pagination } = await service.list(`?sort=title&fields=slug&q=${encodeURIComponent(q)}`);
  assert.equal(pagination["total"], list.length);
  return list.map((one) => one["slug"]);
}

const FINDS: [q: string, slug: string][] = [
  ["brewing", "english"],
  ["BREWING TEA", "english"],
  ["tea brewing", "english"],
  ["don't", "english"],
  ["leaves", "english"],
  ["tea-leaves", "english"],
  ["Ostfriesentee", "german"],
  ["uber grosse", "german"],
  ["strasse", "german"],
  ["Straße köln", "german"],
  ["creme brulee", "french"],
  ["cafe", "french"],
  ["CAFÉ", "french"],
  ["cafe\u0301", "french"],
  ["œuvre", "french"],
  ["oeuvre", "french"],
  ["naive facade", "french"],
  ["緑茶", "japanese"],
  ["煎茶", "japanese"],
  ["水出し煎茶", "japanese"],
  ["コーヒー", "japanese"],
  ["ｺｰﾋｰ", "japanese"],
  ["龙井", "chinese"],
  ["绿茶 清香", "chinese"],
  ["한국", "korean"],
  ["녹차", "korean"],
  ["ชา นม", "thai"],
  ["чай", "russian"],
  ["САМОВАР", "russian"],
  ["شاي", "arabic"],
  ["darjeeling", "labelled"],
  ["schwarztee", "labelled"],
  ["first flush", "labelled"],
  ["muscatel", "labelled"],
  ['"brewing"', "english"],
  ["brewing*", "english"],
  ["brewed teas", "english"],
  ["leaf", ""],
  ["labelling", "labelled"],
  ["flushes", "labelled"],
  ["ostfr", "german"],
  ["ostfr tea", ""],
  ["tea brew", "english"],
  ["groß koel", ""],
  ["strasse ostfriesen", "german"],
  ["ostfr ", ""],
  ['"ostfr"', ""],
  ["ostfr*", "german"],
  ["ost", ""],
  ["café brul", "french"],
  ["crèm", "french"],
  ["само", "russian"],
  ["darj", "labelled"],
  ["muscatels", "labelled"],
  ["brewing OR", ""],
  ["brewing AND crème", ""],
  ["brewing NOT tea", ""],
  ["nothing-like-it", ""],
];

describe("a search", () => {
  for (const [q, slug] of FINDS) {
    test(`"${q}" finds ${slug || "nothing"}`, async () => {
      assert.deepEqual(await found(q), slug === "" ? [] : [slug]);
    });
  }

  test("a single Chinese or Japanese character finds the texts that contain it anywhere", async () => {
    assert.deepEqual(await found("茶"), ["japanese", "chinese"]);
    assert.deepEqual(await found("香"), ["chinese"]);
  });

  test("every word has to occur, in any order and anywhere", async () => {
    assert.deepEqual(await found("labels flush darjeeling text"), ["labelled"]);
    assert.deepEqual(await found("labels brewing"), []);
  });

  test("an edited article is found by its new words and not by its old ones, and a deleted one is not found", async () => {
    const input = makeArticle({ status: "published", slug: "moving", title: "Quicksilver" });
    const { article } = await articles.createArticle(service.app, service.website.id, input, CHIEF);
    assert.deepEqual(await found("quicksilver"), ["moving"]);
    await articles.updateArticle(service.app, article.id, { title: "Sandstone" }, CHIEF);
    assert.deepEqual([await found("quicksilver"), await found("sandstone")], [[], ["moving"]]);
    await articles.deleteArticle(service.app, article.id, CHIEF);
    assert.deepEqual(await found("sandstone"), []);
    await articles.restoreArticle(service.app, article.id, CHIEF);
    assert.deepEqual(await found("sandstone"), ["moving"]);
    await articles.deleteArticle(service.app, article.id, CHIEF);
  });

  test("another website's words find nothing", async () => {
    const website = await service.newWebsite();
    const input = makeArticle({ status: "published", title: "Xylophone" });
    await articles.createArticle(service.app, website.id, input, CHIEF);
    assert.deepEqual(await found("xylophone"), []);
    assert.deepEqual(await found(`website${website.id.replaceAll("-", "")} xylophone`), []);
  });
});

/** Whether a text is found, by the words of the text and of the query alone. */
function isFound(title: string, query: string): boolean {
  const words = new Set(searchTokens(title));
  const tokens = searchTokens(query);
  const last = tokens.at(-1) ?? "";
  const isPrefix = /^\p{L}.{3}/u.test(last) && !/[\s"]$/.test(query);
  return tokens.every(
    (token) =>
      wordForms(token).some((form) => words.has(form)) ||
      (token === "茶" && title.includes(token)) ||
      (isPrefix && token === last && [...words].some((one) => one.startsWith(last))),
  );
}

// SQLite's index has words that begin like this for its own use: such words are found whole only.
const isReserved = (word: string) => /website\d/.test(word);

test("every word is found in its forms, and the last one by its beginning: as a naive search finds them", async () => {
  await using own = await startTestService({ ROSTRUM_RATE_LIMIT: "0" });
  const syllable = fc.constantFrom("we", "web", "site", "ket", "tle", "s", "ing", "a1", "0", "é", "ш", "茶", "d");
  const word = fc.array(syllable, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
  const texts = fc
    .sample(fc.array(word, { minLength: 1, maxLength: 12 }), 60)
    .map((words) => words.filter((one) => !isReserved(one)).join(" ") || "-");
  texts.push(
    "website websites webs websocket",
    "websitebuilder websitedesign",
    "kettle",
    "kettles boiling",
    "websitez",
  );
  // With a small part of the articles, a website's words may be looked for in another way.
  const small = await own.newWebsite();
  const keys = [own.key, (await own.newKey({}, small.id)).secret];
  const fill = async (websiteId: string, titles: readonly string[]) => {
    const ids: string[] = [];
    for (const title of titles) {
      const input = makeArticle({ status: "published", title, slug: `a${ids.length}`, content: "<p>-</p>" });
      ids.push((await articles.createArticle(own.app, websiteId, input, CHIEF)).article.id);
    }
    return ids;
  };
  const websites = [await fill(own.website.id, texts), await fill(small.id, texts.slice(-15))];
  const ending = fc.constantFrom("", "", "", " ", '"', "*");
  const query = fc
    .tuple(fc.array(word, { maxLength: 1 }), fc.constantFrom(...texts.join(" ").split(" ")), fc.nat(7), ending)
    .map(([others, one, cut, end]) => [...others, one.slice(0, Math.max(1, one.length - cut))].join(" ") + end);
  await fc.assert(
    fc.asyncProperty(query, async (q) => {
      for (const [number, ids] of websites.entries()) {
        const reply = await own.get(`${LIST}?limit=100&fields=id&q=${encodeURIComponent(q)}`, {
          "X-API-Key": keys[number],
        });
        const { data } = reply.json() as { data: { articles: { id: string }[]; pagination: { total: number } } };
        const expected = ids.filter((_id, index) => isFound(texts[texts.length - ids.length + index] ?? "", q));
        assert.deepEqual(data.articles.map((one) => one.id).toSorted(), expected.toSorted(), q);
        assert.equal(data.pagination.total, expected.length, q);
      }
    }),
    { numRuns: cases(2_000) },
  );
});

test("whatever is searched for, the response is a 200, or a 400 if there is no word in it", async () => {
  const syntax = fc.constantFrom(
    '"',
    "*",
    "^",
    "NEAR(",
    ")",
    "AND",
    "OR",
    "NOT",
    "-",
    "+",
    ":",
    "{",
    "}",
    "words:",
    "'",
    "\\",
    "%",
    "_",
    "\t",
    "ß",
    "İ",
    "ﬁ",
    "茶",
    "ー",
    "\u0301",
    "\u200b",
    "😀",
    "ก",
    "٣",
    "½",
  );
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.array(syntax, { maxLength: 12 }).map((parts) => parts.join("")),
    fc.array(fc.oneof(syntax, fc.string({ maxLength: 5 })), { maxLength: 12 }).map((parts) => parts.join(" ")),
  );
  await fc.assert(
    fc.asyncProperty(text, async (q) => {
      const reply = await service.get(`${LIST}?q=${encodeURIComponent(q.toWellFormed())}`);
      const words = new Set(searchTokens(q.toWellFormed())).size;
      const isSearchable = words > 0 && words <= 20 && !q.includes("\0");
      assert.equal(reply.status, isSearchable ? 200 : 400, JSON.stringify(q));
    }),
    { numRuns: cases(400) },
  );
  assert.deepEqual(service.log.failures, []);
});

test("whatever an article says, it is found by its own first words", async () => {
  const title = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
    .filter((text) => searchTokens(text).length > 0 && !text.includes("\0") && text.trim() !== "");
  await fc.assert(
    fc.asyncProperty(title, async (text) => {
      const input = makeArticle({ title: text.toWellFormed(), status: "approved" });
      const { article } = await articles.createArticle(service.app, service.website.id, input, CHIEF);
      const q = encodeURIComponent(text.toWellFormed());
      const { articles: list } = await service.list(`?status=approved&limit=100&fields=id&q=${q}`);
      assert.ok(list.some((one) => one["id"] === article.id));
      await articles.deleteArticle(service.app, article.id, CHIEF);
    }),
    { numRuns: cases(60) },
  );
});
