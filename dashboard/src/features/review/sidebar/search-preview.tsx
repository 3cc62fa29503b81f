import { Text } from "@mantine/core";
import IconWorld from "@tabler/icons-react/dist/esm/icons/IconWorld.mjs";
import type { ReactNode } from "react";
import classes from "./search-preview.module.css";
import { cutAt } from "./text-width.ts";

interface SearchPreviewProps {
  siteName: string;
  /** The article's URL; null if unknown. */
  url: string | null;
  slug: string;
  title: string;
  metaDescription: string | null;
  /** Used if the description is missing. */
  excerpt: string;
}

/** Previews the article as a search result. */
export function SearchPreview({ siteName, url, slug, title, metaDescription, excerpt }: SearchPreviewProps): ReactNode {
  const description = metaDescription?.trim() ? metaDescription : excerpt;
  return (
    <figure className={classes.root} aria-label="As a search engine shows it">
      <div className={classes.site}>
        <span className={classes.icon} aria-hidden>
          <IconWorld size={16} />
        </span>
        <div className={classes.texts}>
          <div className={classes.name}>{siteName}</div>
          <div className={classes.url}>{formatBreadcrumb(url, slug)}</div>
        </div>
      </div>
      <div className={classes.title}>{cutAt(title, 60) || "Untitled"}</div>
      <div className={classes.description}>{cutAt(description, 160)}</div>
      {metaDescription?.trim() ? null : (
        <Text component="figcaption" size="xs" c="dimmed" mt={6}>
          Without a meta description, search engines choose a text themselves.
        </Text>
      )}
    </figure>
  );
}

/** “https://example.com › blog › green-tea”. */
function formatBreadcrumb(url: string | null, slug: string): string {
  const parsed = url === null ? null : URL.parse(url);
  if (parsed === null) return slug === "" ? "…" : `… › ${slug}`;
  const parts = parsed.pathname.split("/").filter((part) => part !== "");
  return [parsed.origin, ...parts.map(readable)].join(" › ");
}

function readable(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
