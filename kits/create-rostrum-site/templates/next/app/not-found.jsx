import Link from "next/link";

export const metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        There is no page at this address. <Link href="/">All articles</Link> or <Link href="/search">search</Link>.
      </p>
    </>
  );
}
