"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";

const LINKS = [
  { path: "/", name: "Articles" },
  { path: "/tags", name: "Tags" },
  { path: "/search", name: "Search" },
];

export function SiteLinks() {
  const here = usePathname();
  return (
    <nav aria-label="Site">
      {LINKS.map(({ path, name }) => (
        <Link key={path} href={path} aria-current={here === path ? "page" : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
