/** Sets up a data folder in this process instead of through CLI commands, each of which needs up to three processes. */
import { type App, openApp } from "../../src/app/app.ts";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createKey } from "../../src/operations/people/api-keys.ts";
import { createArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { deriveContent } from "./content.ts";

export interface Site {
  data: string;
  /** Id of the website "W". */
  website: string;
  /** An API key for articles of every status. */
  key: string;
  /** Creates an article. A service that runs on the folder sees it as another process's change. @returns the article's id. */
  create(input: ArticleInput): Promise<string>;
  update(id: string, input: ArticleInput): Promise<void>;
}

/** @param data a folder without data yet. */
export async function makeSite(data: string): Promise<Site> {
  const inside = async <T>(work: (app: App) => Promise<T>): Promise<T> => {
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data }, data));
    return await work({ ...app, deriveContent });
  };
  const { website, key } = await inside(async (app) => {
    const { id } = await createWebsite(app, { name: "W", url: null, urlPattern: null }, CLI_ORIGIN);
    const all = { name: "k", scope: "all", expiresAt: null, rateLimit: null } as const;
    return { website: id, key: (await createKey(app, id, all, CLI_ORIGIN)).secret };
  });
  return {
    data,
    website,
    key,
    create: (input) => inside(async (app) => (await createArticle(app, website, input, CLI_ACTOR)).article.id),
    update: (id, input) => inside(async (app) => void (await updateArticle(app, id, input, CLI_ACTOR))),
  };
}
