import Link from "next/link";

/** Links to the pages before and after one of a list. `first` is the path of its first page. */
export function PageLinks({ list: { page, pages, newer, older }, first }) {
  if (pages === 1) return null;
  const path = (number) => (number === 1 ? first : `${first === "/" ? "" : first}/page/${number}`);
  return (
    <nav className="pages" aria-label="Pages">
      {newer ? (
        <Link rel="prev" href={path(newer)}>
          ← Newer articles
        </Link>
      ) : (
        <span />
      )}
      <span>
        {page} of {pages}
      </span>
      {older ? (
        <Link rel="next" href={path(older)}>
          Older articles →
        </Link>
      ) : (
        <span />
      )}
    </nav>
  );
}
