import { ArticleList } from "../../components/article-list";
import { rostrum } from "../../lib/site";

export const metadata = { title: "Search", robots: { index: false } };

export default async function Page({ searchParams }) {
  const { q } = await searchParams;
  const words = typeof q === "string" ? q.trim().slice(0, 200) : "";
  const found = words === "" ? null : await search(words);
  return (
    <>
      <h1>Search</h1>
      <form className="search" role="search">
        <input type="search" name="q" aria-label="Words to look for" defaultValue={words} />
        <button>Search</button>
      </form>
      {found !== null && (
        <>
          <p role="status">{describe(found.pagination.total)}</p>
          <ArticleList articles={found.articles} />
        </>
      )}
    </>
  );
}

function describe(count) {
  if (count === 0) return "Nothing was found. Try other words, or fewer.";
  return count === 1 ? "1 article" : `${count} articles`;
}

async function search(words) {
  try {
    return await rostrum.articles.list({ q: words, limit: 50 });
  } catch (error) {
    // What was typed holds no word, or too many.
    if (error instanceof Error && error.param === "q") return { articles: [], pagination: { total: 0 } };
    throw error;
  }
}
