import Link from "next/link";
import { notFound } from "next/navigation";
import { ARTICLES_PER_PAGE, rostrum, site } from "../lib/site";
import { ArticleList } from "./article-list";

/** A page of the list, from 1. */
export async function FrontPage({ number }) {
  const offset = (number - 1) * ARTICLES_PER_PAGE;
  const { articles, pagination } = await rostrum.articles.list({ limit: ARTICLES_PER_PAGE, offset });
  if (number > 1 && articles.length === 0) notFound();
  const hasOlder = offset + articles.length < pagination.total;
  return (
    <>
      <h1>{site.title}</h1>
      {site.description && number === 1 && <p className="lead">{site.description}</p>}
      {pagination.total === 0 && <p>Nothing has been published yet.</p>}
      <ArticleList articles={articles} />
      {(number > 1 || hasOlder) && (
        <nav className="pages" aria-label="Pages">
          {number > 1 ? (
            <Link rel="prev" href={number === 2 ? "/" : `/page/${number - 1}`}>
              ← Newer articles
            </Link>
          ) : (
            <span />
          )}
          {hasOlder && (
            <Link rel="next" href={`/page/${number + 1}`}>
              Older articles →
            </Link>
          )}
        </nav>
      )}
    </>
  );
}
