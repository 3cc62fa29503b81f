import { getCollection } from "astro:content";

/** All articles, the newest first, before them what is not published yet: a staging site has that, too. */
export async function readArticles() {
  const time = ({ data }) => (data.published_at === null ? Infinity : Date.parse(data.published_at));
  return (await getCollection("blog")).sort((one, other) =>
    time(one) < time(other) ? 1 : time(one) > time(other) ? -1 : 0,
  );
}

/** The same for feeds and the like: fields and content together. */
export async function readStored() {
  return (await readArticles()).map(({ data, rendered }) => ({ ...data, content: rendered?.html ?? "" }));
}

/** The path of a tag's page. */
export function tagPath(tag) {
  return tag
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
}

/** Tags with their articles, by path. */
export function groupByTag(articles) {
  const tags = new Map();
  for (const article of articles) {
    for (const tag of article.data.tags) {
      const path = tagPath(tag);
      if (path === "") continue;
      const group = tags.get(path) ?? { tag, path, articles: [] };
      if (!group.articles.includes(article)) group.articles.push(article);
      tags.set(path, group);
    }
  }
  return [...tags.values()].sort((one, other) => one.path.localeCompare(other.path));
}

/** The articles that share most tags and categories with this one. */
export function relatedTo(article, all, count = 3) {
  const labels = new Set([...article.data.tags, ...article.data.categories]);
  const shared = ({ data }) => [...data.tags, ...data.categories].filter((label) => labels.has(label)).length;
  return all
    .filter((other) => other.id !== article.id && shared(other) > 0)
    .sort((one, other) => shared(other) - shared(one))
    .slice(0, count);
}

const DAY = { dateStyle: "long", timeZone: "UTC" };

export function formatDay(time, language) {
  return new Intl.DateTimeFormat(language, DAY).format(new Date(time));
}
