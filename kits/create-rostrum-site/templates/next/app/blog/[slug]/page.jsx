import { jsonLd } from "@rostrum/client/site";
import { metadataOf, previewOptions, slugsOf } from "@rostrum/next";
import Link from "next/link";
import { notFound, permanentRedirect } from "next/navigation";
import { ArticleList } from "../../../components/article-list";
import { formatDay, rostrum, site } from "../../../lib/site";

export const generateStaticParams = () => slugsOf(rostrum);

const find = async ({ params }) => rostrum.findArticle(decodeURIComponent((await params).slug), await previewOptions());

export async function generateMetadata(page) {
  const article = await find(page);
  return article === null ? {} : metadataOf(article, `/blog/${article.slug}`);
}

/** The service compares tags in this way; each has one name in `rostrum.tags()`. */
const isSameTag = (one, other) => one.normalize("NFKC").toLowerCase() === other.normalize("NFKC").toLowerCase();

export default async function Page(page) {
  const article = (await find(page)) ?? notFound();
  if (article.slug !== decodeURIComponent((await page.params).slug)) permanentRedirect(`/blog/${article.slug}`);
  const related = article.status === "published" ? await rostrum.articles.related(article.id, { limit: 3 }) : [];
  const { previous, next } = article.neighbours;
  const tags = (await rostrum.tags()).filter(({ name }) => article.tags.some((tag) => isSameTag(tag, name)));
  return (
    <>
      <article className="article" lang={article.language ?? undefined}>
        <header>
          <h1>{article.title}</h1>
          <p className="meta">
            {article.authors.length > 0 && <>{article.authors.map(({ name }) => name).join(", ")} · </>}
            {article.published_at && (
              <>
                <time dateTime={article.published_at}>{formatDay(article.published_at)}</time> ·{" "}
              </>
            )}
            {article.reading_time} min read
          </p>
        </header>
        {article.featured_image_url && (
          <img
            className="picture"
            src={article.featured_image_url}
            alt={article.featured_image_alt ?? ""}
            width="1280"
            height="720"
            fetchPriority="high"
          />
        )}
        {/* Rostrum sanitised it when it was saved. */}
        <div className="prose" dangerouslySetInnerHTML={{ __html: article.content }} />
        {tags.length > 0 && (
          <ul className="tags" aria-label="Tags">
            {tags.map(({ name, slug }) => (
              <li key={slug}>
                <Link href={`/tags/${slug}`}>{name}</Link>
              </li>
            ))}
          </ul>
        )}
        {(previous || next) && (
          <nav className="pages" aria-label="Articles before and after">
            {previous ? (
              <Link rel="prev" href={`/blog/${previous.slug}`}>
                ← {previous.title}
              </Link>
            ) : (
              <span />
            )}
            {next ? (
              <Link rel="next" href={`/blog/${next.slug}`}>
                {next.title} →
              </Link>
            ) : (
              <span />
            )}
          </nav>
        )}
        <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: jsonLd(site, article) }} />
      </article>
      {related.length > 0 && (
        <section className="related" aria-labelledby="related">
          <h2 id="related">Read next</h2>
          <ArticleList articles={related} eager={0} />
        </section>
      )}
    </>
  );
}
