import { notFound } from "next/navigation";
import { ArticleList } from "../../../components/article-list";
import { rostrum } from "../../../lib/site";

export const generateStaticParams = () => [];

const nameOf = async ({ params }) => decodeURIComponent((await params).tag);

export async function generateMetadata(page) {
  const tag = await nameOf(page);
  return { title: tag, alternates: { canonical: `/tags/${encodeURIComponent(tag)}` } };
}

export default async function Page(page) {
  const tag = await nameOf(page);
  const { articles } = await rostrum.articles.list({ tag, limit: 100 });
  if (articles.length === 0) notFound();
  return (
    <>
      <h1>{tag}</h1>
      <ArticleList articles={articles} />
    </>
  );
}
