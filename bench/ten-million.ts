/** A website of 10,000,000 articles on SQLite: deep pages, filters, search, start, memory; beside one of 10,000. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Bench } from "./bench.ts";
import { pinning } from "./contest.ts";
import { measureStartAndMemory, medianTime, ms } from "./large-website.ts";
import { startLoadGenerator } from "./load-job.ts";
import { noteTable, type Section, thousands } from "./report.ts";
import { seedMany, type Seeded } from "./seed.ts";
import { get, type Server, startRostrum } from "./servers.ts";
import { median } from "./statistics.ts";

const COUNT = 10_000_000;
const SMALL_COUNT = 10_000;
/** Words are indexed for the newest articles, bodies exist for the very newest: pages read neither, and the disk is bounded. */
const SEARCHED = 1_000_000;
const BODIES = 20_000;
/** One in this many articles has the category, and the tag. */
const CATEGORY_EVERY = 100;
const TAG_EVERY = 1_000;
const WORD_EVERY = 1_000;
const LIMIT = 50;
const ROUNDS = 9;
const REQUESTS_A_ROUND = 50;
const GOAL_PAGE = 1.2;
const GOAL_FILTER = 3;
const GOAL_SEARCH_MS = 20;
const GOALS = { starts: 5, requests: 100_000, goalStartS: 3, goalMb: 450 };
const LIST = "/api/public/articles";

export const tenMillion: Bench = async ({ place }): Promise<Section> => {
  const small = await seedMany(await place("ten-thousand"), SMALL_COUNT);
  const seedStartedAt = performance.now();
  const large = await seedBulk(await place("ten-million"));
  const seedSeconds = (performance.now() - seedStartedAt) / 1_000;
  const times = await measure(small, large);
  const startAndMemory = await measureStartAndMemory(large, GOALS);
  const against = (what: string, name: string, base: string, goal: number) => {
    const [value, other] = [times.get(name) ?? Number.NaN, times.get(base) ?? Number.NaN];
    return {
      what,
      value: `${(value / other).toFixed(2)} (${ms(value)} against ${ms(other)})`,
      goal: `≤ ${goal}`,
      met: value / other <= goal,
    };
  };
  const search = times.get(SEARCH) ?? Number.NaN;
  return {
    figures: [
      against("first page, against that of 10,000", FIRST, SMALL_FIRST, GOAL_PAGE),
      against("page at 99 %, against the first of 10,000", DEEP, SMALL_FIRST, GOAL_PAGE),
      against("category of one in 100, against the first page", CATEGORY, FIRST, GOAL_FILTER),
      against("tag of one in 1,000, against the first page", TAG, FIRST, GOAL_FILTER),
      against("slug, against the first page", SLUG, FIRST, GOAL_FILTER),
      {
        what: "q, a new word of one in 1,000 each time, of 1,000,000 with words",
        value: ms(search),
        goal: `≤ ${GOAL_SEARCH_MS} ms`,
        met: search <= GOAL_SEARCH_MS,
      },
      { what: "totals, also with filters", value: "exact", goal: "exact", met: true },
      ...startAndMemory,
    ],
    notes: [
      `${thousands(COUNT)} articles without bodies, but for the newest ${thousands(BODIES)}, written by SQL in ${seedSeconds.toFixed(0)} s; ` +
        `the indexes of the dashboard's lists are left out. Pages of ${LIMIT}, each one nobody has asked for, one request at a ` +
        `time on one connection; ${ROUNDS} interleaved rounds of ${REQUESTS_A_ROUND} each; medians of the rounds' medians. ${pinning()}`,
      noteTable(
        ["", "median"],
        [...times].map(([what, value]) => [what, ms(value)]),
      ),
    ],
  };
};

const SMALL_FIRST = "first pages of 10,000";
const FIRST = "first pages";
const DEEP = "pages at 99 %";
const CATEGORY = "pages of a category";
const TAG = "pages of a tag";
const SLUG = "by slug";
const SEARCH = "by a word";

async function measure(small: Seeded, large: Seeded): Promise<Map<string, number>> {
  await using one = await startRostrum(small);
  await using many = await startRostrum(large);
  await using load = startLoadGenerator();
  await checkTotals(many, large.key);
  const deep = Math.floor(COUNT * 0.99);
  const cases: [name: string, server: Server, key: string, path: (at: number) => string][] = [
    [SMALL_FIRST, one, small.key, (at) => page((at * 17) % (SMALL_COUNT - LIMIT))],
    [FIRST, many, large.key, (at) => page(at * LIMIT)],
    [DEEP, many, large.key, (at) => page(deep + at * LIMIT)],
    [CATEGORY, many, large.key, (at) => page(at * LIMIT, "&category=hundredth")],
    [TAG, many, large.key, (at) => page((at * 7) % (COUNT / TAG_EVERY - LIMIT), "&tag=thousandth")],
    [SLUG, many, large.key, (at) => `${LIST}?slug=short-note-${(at * 7_919) % COUNT}`],
    [SEARCH, many, large.key, (at) => `${LIST}?q=word${at % WORD_EVERY}`],
  ];
  const medians = new Map(cases.map(([name]) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, server, key, path] of cases) {
      const paths = Array.from({ length: REQUESTS_A_ROUND }, (_, index) => path(1 + round * REQUESTS_A_ROUND + index));
      medians.get(name)?.push(await medianTime(load, server, key, paths, paths.length));
    }
  }
  return new Map([...medians].map(([name, values]) => [name, median(values)]));
}

function page(offset: number, more = ""): string {
  return `${LIST}?limit=${LIMIT}&offset=${offset}${more}`;
}

/** @throws unless every list reports the expected total. */
async function checkTotals({ port }: Server, key: string): Promise<void> {
  const totals: [query: string, total: number][] = [
    ["", COUNT],
    [`&offset=${COUNT - 1}`, COUNT],
    ["&category=hundredth", COUNT / CATEGORY_EVERY],
    ["&tag=thousandth", COUNT / TAG_EVERY],
    [`&slug=short-note-${COUNT - 5}`, 1],
    ["&q=word7", SEARCHED / WORD_EVERY],
  ];
  for (const [query, total] of totals) {
    const { body } = await get(port, `${LIST}?limit=1${query}`, { "X-API-Key": key });
    const { data } = JSON.parse(body.toString()) as { data: { pagination: { total: number } } };
    if (data.pagination.total !== total) throw new Error(`the total of "${query}" is ${data.pagination.total}`);
  }
}

/** Copies of one article, under other ids, titles, slugs and times, written past the store: it would take hours. */
async function seedBulk(place: Seeded["place"]): Promise<Seeded> {
  mkdirSync(place.folder, { recursive: true });
  const seeded = await seedMany(place, 1);
  using database = new DatabaseSync(join(place.folder, "rostrum.db"));
  database.exec(`PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    PRAGMA cache_size = -1000000; PRAGMA foreign_keys = OFF`);
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE tbl_name IN ('articles', 'article_labels') AND type = 'index'")
    .all() as { name: string; sql: string | null }[];
  for (const { name, sql } of indexes) if (sql !== null) database.exec(`DROP INDEX ${name}`);
  const model = database.prepare("SELECT * FROM articles").get() as Record<string, string | number | null>;
  const { created_at: createdAt, website_id: websiteId } = model;
  const id = "printf('01a00000-0000-7000-8000-%012d', i)";
  const at = `(${createdAt} - i * 60000)`;
  const iso = `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${at} / 1000, 'unixepoch')`;
  const own: Record<string, string> = {
    row_no: "i + 1",
    id,
    title: "'Short note ' || i",
    title_key: "'short note ' || i",
    slug: "'short-note-' || i",
    created_at: at,
    updated_at: at,
    approved_at: at,
    published_at: at,
    list_form: listFormSql(String(model["list_form"]), { id, iso }),
  };
  const names = Object.keys(model);
  const insert = (table: string, columns: string, from: string) =>
    database.exec(`INSERT INTO ${table} (${columns}) ${from}`);
  insert(
    "articles",
    names.join(", "),
    `${series(COUNT)} SELECT ${names.map((name) => own[name] ?? `m.${name}`).join(", ")} FROM articles m CROSS JOIN series WHERE m.row_no = 1`,
  );
  const body = (
    database.prepare("SELECT name FROM pragma_table_info('article_bodies')").all() as { name: string }[]
  ).map(({ name }) => name);
  insert(
    "article_bodies",
    body.join(", "),
    `${series(BODIES)} SELECT ${body.map((name) => (name === "row_no" ? "i + 1" : `m.${name}`)).join(", ")}
     FROM article_bodies m CROSS JOIN series WHERE m.row_no = 1`,
  );
  database.exec("DELETE FROM article_labels");
  const label = (kind: string, key: string, every: number) =>
    insert(
      "article_labels",
      "website_id, kind, label_key, row_no",
      `SELECT '${websiteId}', '${kind}', '${key}', row_no FROM articles WHERE row_no % ${every} = 0`,
    );
  label("category", "hundredth", CATEGORY_EVERY);
  label("tag", "thousandth", TAG_EVERY);
  const site = `website${String(websiteId).replaceAll("-", "")}`;
  database.exec("DELETE FROM article_words");
  insert(
    "article_words",
    "rowid, words",
    `${series(SEARCHED + 1)} SELECT i, '${site} short note word' || (i % ${WORD_EVERY}) FROM series`,
  );
  const needed = /article_labels|articles_by_(?:publication|creation|slug|version)|articles_due/;
  for (const { sql } of indexes) if (sql !== null && needed.test(sql)) database.exec(sql);
  const ids = Array.from(
    { length: 10_000 },
    (_, index) => `01a00000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`,
  );
  return { ...seeded, count: COUNT, ids };
}

/** The model's list form as an SQL expression in `i`. */
function listFormSql(json: string, { id, iso }: { id: string; iso: string }): string {
  const form = JSON.parse(json) as Record<string, unknown>;
  const sql: Record<string, string> = { id, title: "'Short note ' || i", slug: "'short-note-' || i" };
  for (const name of ["created_at", "updated_at", "approved_at", "published_at"]) sql[name] = iso;
  const marked = { ...form };
  for (const name of Object.keys(sql)) if (typeof form[name] === "string") marked[name] = `@@${name}@@`;
  return JSON.stringify(marked)
    .split("@@")
    .map((part, index) => (index % 2 === 1 ? `(${sql[part]})` : `'${part.replaceAll("'", "''")}'`))
    .join(" || ");
}

/** Begins a statement that reads `i` from `series`: 1 to `count` - 1. */
function series(count: number): string {
  return `WITH RECURSIVE series (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < ${count - 1})`;
}
