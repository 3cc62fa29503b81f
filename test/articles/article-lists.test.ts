/** The lists of articles: what stands in which, in which order, how many there are, and where one stands. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sortKey } from "../../src/domain/system/collation.ts";
import { parseMetrics } from "../../src/domain/articles/article.ts";
import { discardDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import {
  approveArticle,
  createArticle,
  deleteArticle,
  publishArticle,
  restoreArticle,
  scheduleArticle,
  unpublishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import type { StoredFull } from "../../src/store/store.ts";
import { CHIEF, DAY, FUTURE, PROSE, TODAY } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { type Team, openTeam, assertRefused } from "../helpers/team.ts";

const VIEWS = ["pending", "approved", "scheduled", "published", "drafts", "trash"] as const;
const SORTS = ["created_at", "updated_at", "state_since", "published_at", "title"].flatMap((name) => [
  name,
  `-${name}`,
]);

let team: Team;
let site: string;

before(async () => {
  team = await openTeam();
  site = team.service.website.id;
});
after(() => team[Symbol.asyncDispose]());

function list(query: Record<string, string>): Promise<Json> {
  return team.viewer.json("GET", `/articles?${new URLSearchParams({ website_id: site, ...query }).toString()}`);
}

async function ids(query: Record<string, string>): Promise<string[]> {
  return records((await list(query))["articles"]).map(({ id }) => String(id));
}

describe("every list, sorted in every way", () => {
  const articles = new Map<string, StoredFull>();
  const drafted = new Map<string, number>();

  before(async () => {
    const { app } = team.service;
    for (let number = 0; number < 42; number++) {
      const id = await team.newArticle({
        // Some are equal but for their ids.
        title: `${"cBa"[number % 3]} ${["Ä tale", "a tale", "Z", "ｆull width"][number % 4]}`,
        createdAt: TODAY - ((number * 7) % 5) * DAY,
        updatedAt: TODAY - ((number * 11) % 13) * DAY,
        categories: [`Shelf ${number % 3}`],
        tags: number % 2 === 0 ? ["Even", "Number"] : ["Odd", "Number"],
        seoKeywords: number % 5 === 0 ? ["Fives"] : [],
        authors: number % 6 === 0 ? [{ name: "Ada Six", url: null }] : [],
        content: `<p>Common words${number % 4 === 0 ? " and a rare lighthouse" : ""}.</p>`,
      });
      // What the list says: the state by the remainder, and every sixth of the living goes to the trash.
      const state = number % 7;
      if (state >= 2) await approveArticle(app, id, CHIEF);
      if (state === 3) await scheduleArticle(app, id, FUTURE - number * DAY, CHIEF);
      if (state >= 4) await publishArticle(app, id, CHIEF);
      if (state === 6) await saveDraftCopy(app, id, { title: `Another ${number}` }, CHIEF);
      if (number % 6 === 5) await deleteArticle(app, id, CHIEF);
    }
    const rows = await app.store.read((db) =>
      db.all(
        `SELECT articles.id AS id, draft_copies.saved_at AS saved_at
         FROM articles LEFT JOIN draft_copies USING (row_no)`,
      ),
    );
    for (const { id, saved_at } of rows) {
      articles.set(id, await team.stored(id));
      if (saved_at !== null) drafted.set(id, saved_at);
    }
  });

  /** What should stand in the list, by its definition in words. */
  function expected(
    view: (typeof VIEWS)[number],
    sort: string | null,
    isWanted: (one: StoredFull) => boolean,
  ): string[] {
    const isIn = ({ article }: StoredFull): boolean => {
      if (view === "trash") return article.deletedAt !== null;
      if (article.deletedAt !== null) return false;
      if (view === "scheduled") return article.status === "approved" && article.publishAt !== null;
      if (view === "drafts") return article.status === "published" && drafted.has(article.id);
      return article.status === view && article.publishAt === null;
    };
    const own = {
      pending: "-created_at",
      approved: "-created_at",
      published: "-published_at",
      scheduled: "publish_at",
      drafts: "-saved_at",
      trash: "-deleted_at",
    }[view];
    const order = sort ?? own;
    const keyOf = ({ article }: StoredFull): Buffer | number | null => {
      switch (order.replace("-", "")) {
        case "title":
          return Buffer.from(sortKey(article.title, null));
        case "created_at":
          return article.createdAt;
        case "updated_at":
          return article.updatedAt;
        case "state_since":
          return article.stateSince;
        case "publish_at":
          return article.publishAt;
        case "saved_at":
          return drafted.get(article.id) ?? null;
        case "deleted_at":
          return article.deletedAt;
        default:
          return article.publishedAt;
      }
    };
    const compare = (one: StoredFull, other: StoredFull): number => {
      const [a, b] = [keyOf(one), keyOf(other)];
      const byKey =
        a === null || b === null
          ? Number(a === null) - Number(b === null)
          : (Buffer.isBuffer(a) && Buffer.isBuffer(b) ? Buffer.compare(a, b) : Number(a) - Number(b)) *
            (order.startsWith("-") ? -1 : 1);
      if (byKey !== 0) return byKey;
      const isById = one.article.id < other.article.id ? -1 : 1;
      if (!order.endsWith("state_since") || view === "trash") return isById;
      return (one.article.createdAt - other.article.createdAt || isById) * (order.startsWith("-") ? -1 : 1);
    };
    return [...articles.values()]
      .filter((one) => isIn(one) && isWanted(one))
      .toSorted(compare)
      .map(({ article }) => article.id);
  }

  const FILTERS: [Record<string, string>, (one: StoredFull) => boolean][] = [
    [{}, () => true],
    [{ tag: "even" }, ({ article }) => article.tags.includes("Even")],
    [{ category: "SHELF 1" }, ({ article }) => article.categories.includes("Shelf 1")],
    [{ author: "ada six" }, ({ article }) => article.authors.some(({ name }) => name === "Ada Six")],
    [{ keyword: "fives" }, ({ article }) => article.seoKeywords.includes("Fives")],
    [{ q: "rare Lighthouse" }, ({ body }) => body.text.includes("lighthouse")],
    [
      { q: "lighthouse", tag: "Number", category: "Shelf 2" },
      ({ article, body }) => body.text.includes("lighthouse") && article.categories.includes("Shelf 2"),
    ],
    [{ q: "nowhere" }, () => false],
    [{ q: " ", tag: "" }, () => true],
  ];

  for (const view of VIEWS) {
    test(view, async () => {
      for (const sort of [null, ...SORTS]) {
        for (const [filter, isWanted] of FILTERS) {
          const query = { view, ...(sort === null ? {} : { sort }), ...filter };
          const wanted = expected(view, sort, isWanted);
          const what = JSON.stringify(query);
          const found: string[] = [];
          for (let offset = 0; offset === 0 || offset < wanted.length; offset += 4) {
            const page = await list({ ...query, limit: "4", offset: String(offset) });
            assert.deepEqual([page["total"], page["limit"], page["offset"]], [wanted.length, 4, offset], what);
            found.push(...records(page["articles"]).map(({ id }) => String(id)));
          }
          assert.deepEqual(found, wanted, what);
        }
      }
    });
  }

  test("the counts of a search or a filter equal the lengths of the lists", async () => {
    for (const [filter, isWanted] of FILTERS) {
      const query = new URLSearchParams({ website_id: site, ...filter }).toString();
      const counts = await team.viewer.json("GET", `/articles/counts?${query}`);
      const wanted = Object.fromEntries(VIEWS.map((view) => [view, expected(view, null, isWanted).length]));
      assert.deepEqual(Object.fromEntries(VIEWS.map((view) => [view, counts[view]])), wanted, query);
    }
    await assertRefused(team.viewer, "GET", `/articles/counts?website_id=${site}&q=!`, undefined, 400);
  });

  test("the counts equal the lengths of the lists", async () => {
    const counts = await team.viewer.json("GET", `/articles/counts?website_id=${site}`);
    const wanted = Object.fromEntries(VIEWS.map((view) => [view, expected(view, null, () => true).length]));
    // The other queues are in review-states.test.ts.
    assert.deepEqual(Object.fromEntries(VIEWS.map((view) => [view, counts[view]])), wanted);
    assert.ok(
      Object.values(wanted).every((count) => count > 0),
      JSON.stringify(wanted),
    );
  });

  test("a position names the previous and next article, where there is one", async () => {
    const all = expected("published", "-title", ({ article }) => article.tags.includes("Even"));
    for (const [index, id] of all.entries()) {
      assert.deepEqual(await place(id), {
        index,
        total: all.length,
        previous_id: all[index - 1] ?? null,
        next_id: all[index + 1] ?? null,
        next_ids: all.slice(index + 1, index + 13),
      });
    }
    const outside = { index: null, total: all.length, previous_id: null, next_id: null, next_ids: [] };
    assert.deepEqual(await place(expected("pending", null, () => true)[0] ?? ""), outside);
    assert.deepEqual(await place("01a1fdf4-0000-7000-8000-000000000000"), outside);
  });
});

function place(id: string): Promise<Json> {
  return team.viewer.json("GET", `/articles/place?website_id=${site}&view=published&sort=-title&tag=even&id=${id}`);
}

/** The views that an article with the tag stands in. */
async function viewsOf(tag: string): Promise<string[]> {
  const found: string[] = [];
  for (const view of VIEWS) if ((await ids({ view, tag })).length > 0) found.push(view);
  return found;
}

/** Which parameter is refused. */
async function refusedParam(query: string): Promise<unknown> {
  return (await assertRefused(team.viewer, "GET", `/articles?website_id=${site}&${query}`, undefined, 400)).param;
}

test("a row of the list has the article's fields", async () => {
  const { app } = team.service;
  const id = await team.newArticle({ title: "A kettle for two", tags: ["Unique"], targetKeyword: "kettle" });
  const stored = await team.stored(id);
  const [line = {}] = records((await list({ view: "pending", tag: "unique" }))["articles"]);
  assert.deepEqual(line, {
    id,
    title: "A kettle for two",
    slug: "a-kettle-for-two",
    excerpt: stored.article.excerpt,
    status: "pending",
    target_keyword: "kettle",
    featured_image_url: null,
    categories: [],
    tags: ["Unique"],
    word_count: stored.article.wordCount,
    reading_time: 1,
    score: parseMetrics(stored.body.metricsJson).overall_score,
    // Five words are no article.
    is_blocked: true,
    created_at: new Date(stored.article.createdAt).toISOString(),
    updated_at: new Date(stored.article.updatedAt).toISOString(),
    state_since: new Date(stored.article.stateSince).toISOString(),
    approved_at: null,
    published_at: null,
    publish_at: null,
    deleted_at: null,
    has_draft: false,
    review_state: "in_review",
    is_resubmitted: false,
    open_comments: 0,
    author: null,
    assignee: null,
    version: stored.article.version,
  });
  assert.deepEqual(line, record((await team.page(id)).all["line"]));
  await deleteArticle(app, id, CHIEF);
});

test("titles are in the order of their language, else of the website's, also after they have changed", async () => {
  const website = await team.service.newWebsite({ name: "Swedish", language: "sv" });
  const make = (title: string, language: string | null = null) =>
    createArticle(team.service.app, website.id, { title, language, content: "<p>Text.</p>" }, CHIEF);
  const byTitle = async () =>
    records((await list({ view: "pending", sort: "title", website_id: website.id }))["articles"]).map(
      ({ title }) => title,
    );
  const { article } = await make("Ö");
  for (const title of ["Zebra", "Ånga", "Äpple", "Éa", "Eb", "e"]) await make(title);
  await make("Ärger", "de");
  assert.deepEqual(await byTitle(), ["Ärger", "e", "Éa", "Eb", "Zebra", "Ånga", "Äpple", "Ö"]);
  await updateArticle(team.service.app, article.id, { title: "Åa" }, CHIEF);
  assert.deepEqual(await byTitle(), ["Ärger", "e", "Éa", "Eb", "Zebra", "Åa", "Ånga", "Äpple"]);
});

test("a title of any length has its place in the order", async () => {
  const website = await team.service.newWebsite({ name: "Long titles" });
  const make = async (title: string) => {
    await createArticle(team.service.app, website.id, { title, content: "<p>Text.</p>" }, CHIEF);
  };
  const byTitle = async (sort: string) =>
    records((await list({ view: "pending", sort, website_id: website.id }))["articles"]).map(({ title }) => title);
  await make("c");
  await make("a");
  assert.deepEqual(await byTitle("title"), ["a", "c"]);
  // Longer than an index of PostgreSQL takes, and longer still when it is compared.
  const long = `b${"ﷺ".repeat(999)}`;
  await make(long);
  assert.deepEqual(await byTitle("title"), ["a", long, "c"]);
  assert.deepEqual(await byTitle("-title"), ["c", long, "a"]);
});

test("every change shows at once, including draft copies, which readers do not see", async () => {
  const { app } = team.service;
  const id = await team.newArticle({ title: "On its way", tags: ["Way"] });
  assert.deepEqual(await viewsOf("way"), ["pending"]);
  await approveArticle(app, id, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["approved"]);
  await scheduleArticle(app, id, FUTURE, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["scheduled"]);
  await publishArticle(app, id, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["published"]);
  await saveDraftCopy(app, id, { title: "On its other way" }, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["published", "drafts"]);
  await discardDraftCopy(app, id, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["published"]);
  await unpublishArticle(app, id, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["approved"]);
  await deleteArticle(app, id, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["trash"]);
  await restoreArticle(app, id, CHIEF);
  assert.deepEqual(await viewsOf("way"), ["approved"]);
  await updateArticle(app, id, { tags: ["Elsewhere"] }, CHIEF);
  assert.deepEqual(await viewsOf("way"), []);
  await deleteArticle(app, id, CHIEF);
});

test("labels are spelled as they were written last, the most frequent first", async () => {
  const other = await team.service.newWebsite({ name: "Labels" });
  const make = async (categories: string[], tags: string[]) => {
    const input = { title: "One", content: "<p>One.</p>", categories, tags };
    await createArticle(team.service.app, other.id, input, CHIEF);
  };
  await make(["Rare"], ["b", "tea"]);
  await make(["common"], ["tea"]);
  await make(["Common"], ["TEA", "a"]);
  assert.deepEqual(await team.viewer.json("GET", `/articles/labels?website_id=${other.id}`), {
    categories: ["Common", "Rare"],
    tags: ["TEA", "a", "b"],
  });
});

test("a website's lists contain its own articles only", async () => {
  const other = await team.service.newWebsite({ name: "Other" });
  const mine = await team.newArticle({ title: "Mine alone", tags: ["Mine"] });
  assert.deepEqual(await ids({ view: "pending", tag: "mine" }), [mine]);
  assert.deepEqual(await ids({ view: "pending", tag: "mine", website_id: other.id }), []);
  assert.deepEqual(await ids({ view: "pending", q: "mine", website_id: other.id }), []);
  const place = `/articles/place?website_id=${other.id}&view=pending&id=${mine}`;
  assert.equal((await team.viewer.json("GET", place))["index"], null);
  const stranger = await team.people.person("owner", other.id, "neighbour@example.com");
  for (const path of ["?view=pending", "/counts?", `/place?view=pending&id=${mine}`, "/labels?"]) {
    await assertRefused(stranger, "GET", `/articles${path}&website_id=${site}`, undefined, 403);
  }
  await assertRefused(team.viewer, "GET", "/articles?view=pending&website_id=none", undefined, 404);
});

test("an invalid query is refused with the parameter's name", async () => {
  assert.equal(await refusedParam("view=pending&q=%3F%21"), "q");
  assert.equal(
    await refusedParam(`view=pending&q=${Array.from({ length: 21 }, (_none, n) => `w${n}`).join("+")}`),
    "q",
  );
  assert.equal(await refusedParam("view=everything"), "view");
  assert.equal(await refusedParam("sort=title"), "view");
  assert.equal(await refusedParam("view=pending&sort=score"), "sort");
  assert.equal(await refusedParam("view=pending&limit=101"), "limit");
  assert.equal(await refusedParam("view=pending&limit=0"), "limit");
  assert.equal(await refusedParam("view=pending&offset=-1"), "offset");
  assert.equal(await refusedParam("view=pending&colour=red"), "colour");
});

test("a page past the end is empty and has the exact total", async () => {
  const all = await list({ view: "pending" });
  const page = await list({ view: "pending", offset: "999999999", limit: "100" });
  assert.deepEqual([page["articles"], page["total"]], [[], all["total"]]);
});

test("a search lists the article with that title first, then titles that begin so, titles with the words, and texts", async () => {
  const website = await team.service.newWebsite({ name: "Relevance" });
  const make = (title: string, content: string, days: number) =>
    createArticle(team.service.app, website.id, { title, content, createdAt: TODAY - days * DAY }, CHIEF);
  await make("About tea", "<p>Descaling a kettle, at length.</p>", 0);
  await make("Descaling for beginners: every kettle", "<p>Text.</p>", 1);
  await make("Kettle descaling in winter", "<p>Text.</p>", 2);
  await make("Kettle Descaling", "<p>Text.</p>", 3);
  await make("Something else", "<p>Nothing of it.</p>", 4);
  const found = async (query: Record<string, string>) => {
    const page = await list({ website_id: website.id, view: "all", ...query });
    return records(page["articles"]).map(({ title }) => title);
  };
  const byRelevance = [
    "Kettle Descaling",
    "Kettle descaling in winter",
    "Descaling for beginners: every kettle",
    "About tea",
  ];
  assert.deepEqual(await found({ q: "kettle descaling" }), byRelevance);
  assert.deepEqual(await found({ q: "KETTLE, descaling!" }), byRelevance);
  // The last word may be unfinished; within each group the newest is first.
  assert.deepEqual(await found({ q: "descaling kettl" }), [
    "Descaling for beginners: every kettle",
    "Kettle descaling in winter",
    "Kettle Descaling",
    "About tea",
  ]);
  assert.deepEqual(await found({ q: "kettle descaling", sort: "-created_at" }), byRelevance.toReversed());
  // A title that changes is found by its new words alone.
  const [exact = ""] = (await ids({ website_id: website.id, view: "all", q: "kettle descaling" })).values();
  await updateArticle(team.service.app, exact, { title: "Limescale" }, CHIEF);
  assert.deepEqual((await found({ q: "kettle descaling" }))[0], "Kettle descaling in winter");
  assert.deepEqual(await found({ q: "limescale" }), ["Limescale"]);
});

test("among very many titles with the words of a search, the one that is the search comes first", async () => {
  const website = await team.service.newWebsite({ name: "Many titles" });
  const lines = Array.from({ length: 1_200 }, (_none, number) => ({
    title: `Tea of farm ${number}`,
    content: "<p>Text.</p>",
  }));
  lines.splice(600, 0, { title: "Tea of Farm", content: "<p>Text.</p>" });
  const body = lines.map((line) => JSON.stringify(line)).join("\n");
  const reply = await team.approver.sendFile(`/imports?website_id=${website.id}&name=x.ndjson`, body);
  assert.equal(reply.status, 200);
  const page = await list({ website_id: website.id, view: "all", q: "tea of farm", limit: "1" });
  assert.deepEqual([page["total"], records(page["articles"])[0]?.["title"]], [1_201, "Tea of Farm"]);
});

test("a list is filtered by days, people, language, score and state, alone and together, and counted alike", async () => {
  const { app } = team.service;
  const website = await team.service.newWebsite({ name: "Filtered", language: "de", timeZone: "Europe/Berlin" });
  const make = async (title: string, more: object) =>
    (await createArticle(app, website.id, { title, content: "<p>Text.</p>", ...more }, CHIEF)).article.id;
  const early = await make("Early", { updatedAt: Date.parse("2026-03-28T22:59:59Z"), language: "fr" });
  const first = await make("First", { updatedAt: Date.parse("2026-03-28T23:00:00Z") });
  // The day has 23 hours in Berlin.
  const last = await make("Last", { updatedAt: Date.parse("2026-03-29T21:59:59Z"), language: "de" });
  const late = await make("Late", {
    updatedAt: Date.parse("2026-03-29T22:00:00Z"),
    publishedAt: Date.parse("2026-03-30T10:00:00Z"),
  });
  await app.store.write(async (db) => {
    await db.run("UPDATE articles SET author_id = 'ann' WHERE id IN (?, ?)", early, first);
    await db.run("UPDATE articles SET assignee_id = 'ben' WHERE id IN (?, ?)", first, last);
    await db.run("UPDATE articles SET score = 90 WHERE id = ?", late);
    await db.run("UPDATE articles SET score = 39 WHERE id IN (?, ?)", early, first);
    await db.run("UPDATE articles SET score = 40 WHERE id = ?", last);
  });
  for (const id of [last, late]) await approveArticle(app, id, CHIEF);
  await publishArticle(app, late, CHIEF);
  await app.store.write(async (db) => {
    const set = "UPDATE articles SET updated_at = ? WHERE id = ?";
    await db.run(set, Date.parse("2026-03-29T21:59:59Z"), last);
    await db.run(set, Date.parse("2026-03-29T22:00:00Z"), late);
  });
  const titles = new Map(
    [early, first, last, late].map((id, index) => [id, ["Early", "First", "Last", "Late"][index]]),
  );
  const day = { updated_from: "2026-03-29", updated_until: "2026-03-29" };
  for (const [query, expected] of [
    [{ updated_from: "2026-03-29" }, "First Last Late"],
    [day, "First Last"],
    [{ updated_until: "2026-03-28" }, "Early"],
    [{ published_from: "2026-03-30", published_until: "2026-03-30" }, "Late"],
    [{ writer: "ann" }, "Early First"],
    [{ assignee: "ben" }, "First Last"],
    [{ ...day, writer: "ann" }, "First"],
    [{ language: "fr" }, "Early"],
    // The website's own: articles that name none, too.
    [{ language: "de" }, "First Last Late"],
    [{ score: "good" }, "Late"],
    [{ score: "poor" }, "Early First"],
    [{ score: "fair" }, "Last"],
    [{ state: "approved" }, "Last"],
    [{ state: "in_review" }, "Early First"],
    [{ state: "in_review", assignee: "ben", q: "text" }, "First"],
  ] as const) {
    const found = await ids({ website_id: website.id, view: "all", ...query });
    const named = found.map((id) => titles.get(id) ?? "").toSorted((a, b) => a.localeCompare(b));
    assert.equal(named.join(" "), expected, JSON.stringify(query));
    const params = new URLSearchParams({ website_id: website.id, ...query }).toString();
    const counts = await team.viewer.json("GET", `/articles/counts?${params}`);
    assert.equal(counts["all"], found.length, JSON.stringify(query));
  }
  await deleteArticle(app, early, CHIEF);
  assert.deepEqual(await ids({ website_id: website.id, view: "trash", writer: "ann" }), [early]);
  const counts = await team.viewer.json("GET", `/articles/counts?website_id=${website.id}&writer=ann`);
  assert.deepEqual([counts["all"], counts["trash"]], [1, 1]);
  for (const [name, value] of [
    ["published_from", "2026-02-30"],
    ["updated_until", "soon"],
    ["score", "great"],
  ] as const) {
    const reply = await team.viewer.send("GET", `/articles?website_id=${website.id}&view=all&${name}=${value}`);
    assert.equal(reply.status, 400, name);
  }
});

test("the score by which a list is filtered is that of the newest text", async () => {
  const website = await team.service.newWebsite({ name: "Scores" });
  const { article } = await createArticle(team.service.app, website.id, { title: "A", content: "<p>Text.</p>" }, CHIEF);
  const scoreOf = async () => {
    const row = await team.service.app.store.read((db) =>
      db.get("SELECT score FROM articles WHERE id = ?", article.id),
    );
    return row?.score;
  };
  const shown = async () => {
    const { articles } = await list({ website_id: website.id, view: "all" });
    return records(articles)[0]?.["score"];
  };
  assert.equal(await scoreOf(), await shown());
  const before = await scoreOf();
  await updateArticle(team.service.app, article.id, { content: `<h2>More</h2><p>${PROSE.repeat(8)}</p>` }, CHIEF);
  assert.notEqual(await scoreOf(), before);
  assert.equal(await scoreOf(), await shown());
});
