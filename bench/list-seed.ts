/** A website with realistic lists: most articles are published, some are in review, some are in the trash. */
import type { App } from "../src/app/app.ts";
import type { ArticleStatus, FullArticle } from "../src/domain/articles/article.ts";
import { parseArticleJson } from "../src/domain/articles/article-json.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { createArticle } from "../src/operations/articles/write/articles.ts";
import { indexedWords } from "../src/domain/articles/content/measure/search.ts";
import { createWebsite } from "../src/operations/website/websites.ts";
import { insertArticle } from "../src/store/articles/articles.ts";
import { putDraftCopy } from "../src/store/articles/draft-copies.ts";
import { indexWords } from "../src/store/articles/search.ts";
import { raiseContentVersion } from "../src/store/system/websites.ts";
import { benchArticle, SITE } from "./articles.ts";

/** Distinct contents; further articles repeat them under other titles. */
const CONTENTS = 40;
const BATCH = 1_000;
const MINUTE_MS = 60_000;
const ACTOR = { id: "bench", mayApprove: true };

/** Search words that occur in 10 % and 1 % of the articles, in addition to the words that occur in all of them. */
export const WORDS = { tenth: "lighthouse", hundredth: "quicksilver" } as const;

export interface SeededState {
  status: ArticleStatus;
  isScheduled: boolean;
  isInTrash: boolean;
  hasDraft: boolean;
}

/** @returns the website's id. */
export async function seedLists(
  app: App,
  count: number,
  stateOf: (number: number) => SeededState = mixedState,
): Promise<string> {
  const { id: websiteId } = await createWebsite(app, SITE, CLI_ORIGIN);
  const models: FullArticle[] = [];
  for (let number = 0; number < CONTENTS; number++) {
    models.push(await createArticle(app, websiteId, parseArticleJson(benchArticle(number)), ACTOR));
  }
  for (let from = 0; from < count; from += BATCH) {
    await app.store.write(async (db) => {
      const version = await raiseContentVersion(db, websiteId);
      for (let number = from; number < Math.min(count, from + BATCH); number++) {
        const model = models[number % CONTENTS];
        if (model === undefined) throw new Error("nothing to seed with");
        const { title, categories, tags } = benchArticle(number);
        const at = model.article.createdAt - number * MINUTE_MS;
        const { status, isScheduled, isInTrash, hasDraft } = stateOf(number);
        const article = {
          ...model.article,
          id: app.newId(),
          title,
          slug: `seeded-${number}`,
          categories,
          tags,
          status,
          createdAt: at,
          // An order other than that of creation.
          updatedAt: at + ((number * 7_919) % count) * MINUTE_MS,
          stateSince: at + ((number * 104_729) % count) * MINUTE_MS,
          approvedAt: status === "pending" ? null : at,
          publishedAt: status === "published" ? at : null,
          publishAt: isScheduled ? app.clock() + (number + 1) * 100 * MINUTE_MS : null,
          deletedAt: isInTrash ? at : null,
          version,
        };
        const full = { article, body: model.body };
        const rowNo = await insertArticle(db, full, at);
        const rare = [...(number % 10 === 3 ? [WORDS.tenth] : []), ...(number % 100 === 7 ? [WORDS.hundredth] : [])];
        await indexWords(
          db,
          { websiteId, rowNo },
          { words: [indexedWords({ ...article, text: full.body.text }), ...rare].join(" "), minhash: null },
          true,
        );
        if (hasDraft) {
          await putDraftCopy(db, rowNo, websiteId, {
            changes: { title: "Another one" },
            actor: ACTOR.id,
            savedAt: at,
            writers: [ACTOR.id],
          });
        }
      }
    });
  }
  // Autovacuum would analyze the tables within a minute; until then the planner assumes that they are empty.
  if (app.store.engine === "postgres") await app.store.write((db) => db.run("ANALYZE"));
  return websiteId;
}

/** Per hundred: 85 published, 8 pending, 5 approved of which one is scheduled, 2 in the trash; some have a draft copy. */
function mixedState(number: number): SeededState {
  const place = (number * 37) % 100;
  const status = place < 8 ? "pending" : place < 13 ? "approved" : "published";
  const isInTrash = place >= 98;
  const hasDraft = status === "published" && !isInTrash && number % 200 === 0;
  return { status, isScheduled: place === 12, isInTrash, hasDraft };
}
