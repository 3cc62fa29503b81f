import { listPage } from "@rostrum/client";
import { notFound, permanentRedirect } from "next/navigation";
import { cache } from "react";
import { ARTICLES_PER_PAGE, rostrum } from "../lib/site";
import { ArticleList } from "./article-list";
import { PageLinks } from "./page-links";

const read = cache((tag, page) => listPage(rostrum, { tag, page, perPage: ARTICLES_PER_PAGE }));

/** A page of the articles with a tag; its slug and the number are from the address. */
export async function TagPage({ params }) {
  const { tag, number } = await params;
  const first = `/tags/${tag}`;
  if (number === "1") permanentRedirect(first);
  const list = (await read(decodeURIComponent(tag), number)) ?? notFound();
  return (
    <>
      <h1>{list.tag}</h1>
      <ArticleList articles={list.articles} />
      <PageLinks list={list} first={first} />
    </>
  );
}

export async function tagMetadata({ params }) {
  const { tag, number } = await params;
  const list = await read(decodeURIComponent(tag), number);
  if (list === null) return {};
  if (list.page === 1) return { title: list.tag, alternates: { canonical: `/tags/${tag}` } };
  return { title: `${list.tag}, page ${list.page}`, alternates: { canonical: `/tags/${tag}/page/${list.page}` } };
}
