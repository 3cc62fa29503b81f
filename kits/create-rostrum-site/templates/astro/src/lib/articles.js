import { newestFirst } from "@rostrum/astro";
import { getCollection } from "astro:content";

/** All articles, the newest first, before them what is not published yet: a staging site has that, too. */
export async function readArticles() {
  return newestFirst(await getCollection("blog"));
}

/** The same for feeds and the like: fields and content together. */
export async function readStored() {
  return (await readArticles()).map(({ data, rendered }) => ({ ...data, content: rendered?.html ?? "" }));
}

/** Tags with their articles, by name. */
export function groupByTag(articles) {
  const tags = new Map();
  for (const article of articles) {
    for (const { name, slug } of article.data.tag_links) {
      const group = tags.get(slug) ?? { name, slug, articles: [] };
      group.articles.push(article);
      tags.set(slug, group);
    }
  }
  return [...tags.values()].sort((one, other) => one.name.localeCompare(other.name));
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
