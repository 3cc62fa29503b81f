/** Stores a copy in a folder, one JSON file per article. It survives restarts, and a build can commit or cache it. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ArticleSummary } from "../types.ts";
import { type ArticleStore, byPublication, type CopyState, page, type StoredArticle, summaryOf } from "./store.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FILES_AT_ONCE = 16;

/**
 * @param folder is created if needed; only one process may write to it at a time. Summaries are held in memory, contents are not.
 */
export async function fileStore(folder: string): Promise<ArticleStore> {
  const articlesFolder = join(folder, "articles");
  const stateFile = join(folder, "state.json");
  await mkdir(articlesFolder, { recursive: true });
  const pathOf = (id: string) => join(articlesFolder, `${id}.json`);
  const read = async (id: string): Promise<StoredArticle | null> =>
    JSON.parse((await readIfThere(pathOf(id))) ?? "null") as StoredArticle | null;

  const summaries = new Map<string, ArticleSummary>();
  const ids = (await readdir(articlesFolder)).map((name) => name.replace(/\.json$/, "")).filter((id) => UUID.test(id));
  await inGroups(ids, async (id) => {
    const article = await read(id);
    if (article !== null) summaries.set(id, summaryOf(article));
  });
  let state = JSON.parse((await readIfThere(stateFile)) ?? "null") as CopyState | null;
  let index = indexOf(summaries);

  return {
    state: async () => state,
    ids: async () => [...summaries.keys()],
    async apply(changes) {
      await inGroups(changes.removed, async (id) => {
        if (UUID.test(id)) await rm(pathOf(id), { force: true });
        summaries.delete(id);
      });
      await inGroups(changes.articles, async (article) => {
        if (!UUID.test(article.id)) return;
        await replace(pathOf(article.id), JSON.stringify(article));
        summaries.set(article.id, summaryOf(article));
      });
      // Written last, so that changes left incomplete by a crash are applied again.
      if (changes.state === null) await rm(stateFile, { force: true });
      else await replace(stateFile, JSON.stringify(changes.state));
      state = changes.state;
      index = indexOf(summaries);
    },
    get: async (id) => (summaries.has(id) ? await read(id) : null),
    async getBySlug(slug) {
      const id = index.slugs.get(slug);
      return id === undefined ? null : await read(id);
    },
    list: async (query) => page(index.sorted, query),
  };
}

function indexOf(summaries: ReadonlyMap<string, ArticleSummary>) {
  const sorted = [...summaries.values()].sort(byPublication);
  return { sorted, slugs: new Map(sorted.map(({ slug, id }) => [slug, id])) };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    throw error;
  }
}

/** Replaces the file atomically: readers see the old or the new one. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += FILES_AT_ONCE) {
    await Promise.all(items.slice(start, start + FILES_AT_ONCE).map(work));
  }
}
