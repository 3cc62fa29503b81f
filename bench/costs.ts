/**
 * What a publication, a save and a read cost each part of an installation: processor time of the process and of the database, log
 * and disk. docs/scale.md calculates with these figures.
 */
import { readFileSync } from "node:fs";
import type { App } from "../src/app/app.ts";
import { parseArticleJson } from "../src/domain/articles/article-json.ts";
import { insertNew, prepareNew } from "../src/operations/articles/write/edit-article.ts";
import { getArticle, publishArticle, updateArticle } from "../src/operations/articles/write/articles.ts";
import { ReadModel } from "../src/operations/articles/read-model/read-model.ts";
import { benchArticle } from "./articles.ts";
import type { Bench } from "./bench.ts";
import type { Place } from "./place.ts";
import { drainQueue } from "./drain.ts";
import { noteTable, thousands } from "./report.ts";
import { childrenOf, cpuSeconds } from "./usage.ts";
import { createWebsites, openWebhookApp } from "./webhook-seed.ts";

const WEBSITES = 64;
const ARTICLES = 2_000;
const WARM_UP = 200;
const READS = 10_000;
/** Of different websites: those of one wait for each other. */
const AT_ONCE = 16;
const ACTOR = { id: "bench", mayApprove: true };
/** Nothing answers here, and nothing is sent: no dispatcher runs. */
const RECEIVER = "http://127.0.0.1:9/hook";

interface Context {
  app: App;
  place: Place;
  /** Children of this process that are not those for content. */
  own: ReadonlySet<number>;
}

interface Cost {
  what: string;
  count: number;
  seconds: number;
  processMs: number;
  contentMs: number;
  databaseMs: number;
  walBytes: number;
  diskBytes: number;
}

export const costs: Bench = async ({ place: newPlace }) => {
  const place = await newPlace("costs");
  const own = new Set(childrenOf(process.pid));
  await using app = await openWebhookApp(place);
  const websites = await createWebsites(
    app,
    Array.from({ length: WEBSITES }, () => [RECEIVER]),
  );
  const contents = Array.from({ length: 100 }, (_, number) => benchArticle(number).content);
  const ids: string[] = [];
  const create = async (number: number) => {
    const website = websites[number % WEBSITES]!;
    const input = parseArticleJson({ ...benchArticle(number), status: "approved", published_at: null });
    const draft = await prepareNew(app, website, input);
    const { full } = await app.store.write((db) => insertNew(db, app, website, draft, { actor: ACTOR }));
    ids.push(full.article.id);
  };
  const idOf = (number: number) => ids[number % ids.length]!;
  const publish = (number: number) => publishArticle(app, idOf(number), ACTOR);
  const save = (number: number) =>
    updateArticle(app, idOf(number), { content: contents[(number + 7) % contents.length]! }, ACTOR);
  const read = (number: number) => getArticle(app, idOf(number * 7));

  const query = {
    status: "published",
    limit: 20,
    offset: 0,
    sort: { field: "published_at", descending: true },
    filter: {},
  } as const;
  const firstList = (number: number) => {
    const readModel = new ReadModel({ store: app.store, cacheBytes: 1_000_000, onChange: () => undefined });
    return readModel.read(websites[number % WEBSITES]!.id, (reader) => reader.page(query));
  };

  const context = { app, place, own };
  const measured = [
    await measure(context, { what: "create", from: WARM_UP, to: ARTICLES }, create),
    await measure(context, { what: "publish", from: WARM_UP, to: ARTICLES }, publish),
    await measure(context, { what: "save", from: WARM_UP, to: ARTICLES }, save),
    await measure(context, { what: "read one that is not in memory", from: WARM_UP, to: READS }, read),
    await measure(
      context,
      { what: "first list of a website that is not in memory", from: WARM_UP, to: ARTICLES },
      firstList,
    ),
  ];
  const drain = async () => (await drainQueue(app)).finished;
  measured.push(await difference(context, "deliver, nothing sent", drain));
  return {
    figures: measured.map(({ what, processMs, databaseMs }) => ({
      what: `${what}: processor time of the process; of the database`,
      value: `${processMs.toFixed(3)} ms; ${databaseMs.toFixed(3)} ms`,
    })),
    notes: [
      `${thousands(ARTICLES)} articles of 6 to 8 kB of ${WEBSITES} websites with one webhook each, ${AT_ONCE} at a time, of different websites; the first ` +
        `${WARM_UP} of each row do not count. A publication or save is one durable transaction with its audit entry, revision, event and delivery; nothing is sent. ` +
        "The process is the one that runs the operations; those for content derive what follows from the text. On SQLite the database's work is the process's.",
      noteTable(
        ["per article", "a second", "process ms", "content ms", "database ms", "log kB", "disk kB"],
        measured.map(({ what, count, seconds, ...cost }) => [
          what,
          thousands(count / seconds),
          cost.processMs.toFixed(3),
          cost.contentMs.toFixed(3),
          cost.databaseMs.toFixed(3),
          (cost.walBytes / 1_024).toFixed(1),
          (cost.diskBytes / 1_024).toFixed(1),
        ]),
      ),
    ],
  };
};

/** Runs the operation with each number, `AT_ONCE` at a time; those before `from` do not count. */
async function measure(
  context: Context,
  { what, from, to }: { what: string; from: number; to: number },
  operation: (number: number) => Promise<unknown>,
): Promise<Cost> {
  const run = async (first: number, end: number) => {
    let next = first;
    const work = async () => {
      while (next < end) await operation(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  await run(0, from);
  return difference(context, what, async () => {
    await run(from, to);
    return to - from;
  });
}

/** @param work returns how often it did what is measured. */
async function difference(context: Context, what: string, work: () => Promise<number>): Promise<Cost> {
  const before = await readUsage(context);
  const startedAt = performance.now();
  const count = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await readUsage(context);
  const each = (name: keyof Usage) => (after[name] - before[name]) / count;
  return {
    what,
    count,
    seconds,
    processMs: each("process") * 1_000,
    contentMs: each("content") * 1_000,
    databaseMs: each("database") * 1_000,
    walBytes: each("wal"),
    diskBytes: each("disk"),
  };
}

interface Usage {
  process: number;
  content: number;
  database: number;
  wal: number;
  disk: number;
}

async function readUsage({ app, place, own }: Context): Promise<Usage> {
  const { user, system } = process.cpuUsage();
  const isPostgres = place.environment["DATABASE_URL"] !== undefined;
  const number = async (sql: string) => {
    const [row] = await app.store.read((db) => db.all(sql));
    return Number(Object.values(row ?? {})[0]);
  };
  return {
    process: (user + system) / 1e6,
    content: childrenOf(process.pid)
      .filter((pid) => !own.has(pid))
      .reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    database: place.databaseSeconds(),
    wal: isPostgres
      ? await number("SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS n")
      : Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]),
    disk: await number(
      isPostgres
        ? "SELECT pg_database_size(current_database())::float8 AS n"
        : "SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()",
    ),
  };
}
