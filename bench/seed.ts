/** Databases for the measurements, written through the store's own functions so that they equal those of an import. */
import { openApp, type App } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { type ArticleStatus, type FullArticle, parseMetrics } from "../src/domain/articles/article.ts";
import { parseArticleJson } from "../src/domain/articles/article-json.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import type { Website } from "../src/domain/system/website.ts";
import { createKey } from "../src/operations/people/api-keys.ts";
import { insertNew, prepareNew } from "../src/operations/articles/write/edit-article.ts";
import { createWebsite } from "../src/operations/website/websites.ts";
import { insertArticle } from "../src/store/articles/articles.ts";
import { indexWords } from "../src/store/articles/search.ts";
import { raiseContentVersion } from "../src/store/system/websites.ts";
import { benchArticle, SITE } from "./articles.ts";
import type { Place } from "./place.ts";

export interface Seeded {
  place: Place;
  websiteId: string;
  key: string;
  count: number;
  /** Ids of the first articles of the list. */
  ids: string[];
}

/** Distinct contents; further articles repeat them under other titles and slugs. */
const CONTENTS = 100;
const BATCH = 500;
const LARGE_BATCH = 10_000;
const IDS_KEPT = 10_000;
const ACTOR = { id: "bench", mayApprove: true };

/** Articles, published by default, with bodies of 6 to 8 kB, derived fields and search words, as after an import. */
export async function seedArticles(
  place: Place,
  count: number,
  { status = "published" }: { status?: ArticleStatus } = {},
): Promise<Seeded> {
  await using app = await open(place);
  const { website, seeded } = await begin(app, place);
  const ids = await fill(app, website, count, status);
  return { ...seeded, ids, count };
}

/** @returns the articles' ids, newest first. */
async function fill(app: App, website: Website, count: number, status: ArticleStatus = "published"): Promise<string[]> {
  const ids: string[] = [];
  const prepared: Awaited<ReturnType<typeof prepareNew>>[] = [];
  for (let number = 0; number < Math.min(CONTENTS, count); number++) {
    prepared.push(await prepareNew(app, website, parseArticleJson({ ...benchArticle(number), status })));
  }
  for (let from = 0; from < count; from += BATCH) {
    await app.store.write(async (db) => {
      for (let number = from; number < Math.min(count, from + BATCH); number++) {
        const { title, slug, ...own } = parseArticleJson({ ...benchArticle(number), status });
        const like = prepared[number % prepared.length];
        if (like === undefined || title === undefined) throw new Error("nothing to seed with");
        const { content } = like.input;
        const draft = {
          input: { ...own, title, ...(content === undefined ? {} : { content }) },
          composed: { ...like.composed, source: { ...like.composed.source, title, slug: slug ?? "" } },
        };
        const { full } = await insertNew(db, app, website, draft, { actor: ACTOR });
        ids.push(full.article.id);
      }
    });
  }
  return ids;
}

export interface SeededWebsite {
  id: string;
  key: string;
  ids: string[];
}

/** Websites with the same number of published articles each, of 6 to 8 kB, as after an import. */
export async function seedWebsites(place: Place, websites: number, articlesEach: number): Promise<SeededWebsite[]> {
  await using app = await open(place);
  const seeded: SeededWebsite[] = [];
  for (let number = 0; number < websites; number++) {
    const website = await createWebsite(app, { ...SITE, name: `Bench ${number}` }, CLI_ORIGIN);
    const { secret } = await createKey(
      app,
      website.id,
      { name: "Bench", scope: "published", expiresAt: null, rateLimit: null },
      CLI_ORIGIN,
    );
    seeded.push({ id: website.id, key: secret, ids: await fill(app, website, articlesEach) });
  }
  return seeded;
}

/** Published articles with short bodies, for large counts: no content pipeline, one version a batch. */
export async function seedMany(place: Place, count: number): Promise<Seeded> {
  await using app = await open(place);
  const { website, seeded } = await begin(app, place);
  const model = await modelArticle(app, website);
  for (let from = 1; from < count; from += LARGE_BATCH) {
    await app.store.write(async (db) => {
      const version = await raiseContentVersion(db, website.id);
      for (let number = from; number < Math.min(count, from + LARGE_BATCH); number++) {
        const at = model.article.createdAt - number * 60_000;
        const article = {
          ...model.article,
          id: app.newId(),
          title: `Short note ${number}`,
          slug: `short-note-${number}`,
          createdAt: at,
          updatedAt: at,
          approvedAt: at,
          publishedAt: at,
          version,
        };
        const rowNo = await insertArticle(db, { article, body: model.body }, Date.now());
        await indexWords(db, { websiteId: website.id, rowNo }, { words: `short note ${number}`, minhash: null }, true);
        if (seeded.ids.length < IDS_KEPT) seeded.ids.push(article.id);
      }
    });
  }
  return { ...seeded, count };
}

async function modelArticle(app: App, website: Website): Promise<FullArticle> {
  const { status, created_at, published_at, categories, featured_image_url } = benchArticle(0);
  const input = parseArticleJson({
    title: "Short note 0",
    slug: "short-note-0",
    content: SHORT,
    status,
    created_at,
    published_at,
    categories,
    featured_image_url,
  });
  const draft = await prepareNew(app, website, input);
  const created = await app.store.write((db) => insertNew(db, app, website, draft, { actor: ACTOR }));
  // Quality checks make up most of a short article: with them, the database of a million would be three times as large.
  const { article, body } = created.full;
  const metricsJson = JSON.stringify({ ...parseMetrics(body.metricsJson), checks: [] });
  return { article, body: { ...body, metricsJson } };
}

const SHORT = "<p>A short note about the garden bench. It was painted last week and is dry again.</p>";

function open({ folder, environment }: Place): Promise<App> {
  return openApp(readConfig(environment, folder));
}

async function begin(app: App, place: Place): Promise<{ website: Website; seeded: Seeded }> {
  const website = await createWebsite(app, SITE, CLI_ORIGIN);
  const { secret } = await createKey(
    app,
    website.id,
    {
      name: "Bench",
      scope: "all",
      expiresAt: null,
      rateLimit: null,
    },
    CLI_ORIGIN,
  );
  return { website, seeded: { place, websiteId: website.id, key: secret, count: 0, ids: [] } };
}
