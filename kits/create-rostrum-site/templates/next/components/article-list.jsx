import Link from "next/link";
import { formatDay } from "../lib/site";

export function ArticleList({ articles, eager = 2 }) {
  return (
    <ul className="articles">
      {articles.map((article, index) => (
        <li className="card" key={article.id}>
          {article.featured_image_url && (
            <img
              className="picture"
              src={article.featured_image_url}
              alt=""
              width="640"
              height="360"
              loading={index < eager ? "eager" : "lazy"}
              fetchPriority={index === 0 ? "high" : undefined}
            />
          )}
          <h2>
            <Link href={`/blog/${article.slug}`}>{article.title}</Link>
          </h2>
          <p>{article.excerpt}</p>
          <div className="meta">
            {article.published_at && (
              <>
                <time dateTime={article.published_at}>{formatDay(article.published_at)}</time> ·{" "}
              </>
            )}
            {article.reading_time} min
          </div>
        </li>
      ))}
    </ul>
  );
}
