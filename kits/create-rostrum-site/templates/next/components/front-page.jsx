import { listPage } from "@rostrum/client";
import { notFound, permanentRedirect } from "next/navigation";
import { ARTICLES_PER_PAGE, rostrum, site } from "../lib/site";
import { ArticleList } from "./article-list";
import { PageLinks } from "./page-links";

/** A page of the list; `number` is from the address. */
export async function FrontPage({ number }) {
  if (number === "1") permanentRedirect("/");
  const list = (await listPage(rostrum, { page: number, perPage: ARTICLES_PER_PAGE })) ?? notFound();
  return (
    <>
      <h1>{site.title}</h1>
      {site.description && list.page === 1 && <p className="lead">{site.description}</p>}
      {list.articles.length === 0 && <p>Nothing has been published yet.</p>}
      <ArticleList articles={list.articles} />
      <PageLinks list={list} first="/" />
    </>
  );
}
