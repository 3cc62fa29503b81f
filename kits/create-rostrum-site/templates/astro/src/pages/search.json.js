import { readArticles } from "../lib/articles.js";

/** What the search page looks through. */
export async function GET() {
  const articles = (await readArticles()).map(({ id, data }) => ({
    path: `/blog/${id}/`,
    title: data.title,
    excerpt: data.excerpt,
    text: [data.title, data.excerpt, ...data.tags, ...data.categories].join(" "),
  }));
  return Response.json(articles);
}
