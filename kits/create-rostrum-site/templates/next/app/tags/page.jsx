import Link from "next/link";
import { rostrum } from "../../lib/site";

export const metadata = { title: "Tags", alternates: { canonical: "/tags" } };

export default async function Page() {
  const tags = await rostrum.tags();
  return (
    <>
      <h1>Tags</h1>
      <ul className="tags">
        {tags.map(({ name, slug, count }) => (
          <li key={slug}>
            <Link href={`/tags/${slug}`}>
              {name} ({count})
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
