import type { Millis } from "./article.ts";
import { AppError } from "./errors.ts";

/** The tenant: owns articles and keys. */
export interface Website {
  id: string;
  name: string;
  /** `https://example.com`, without a slash at the end. */
  url: string | null;
  /** Where a published article stands on the customer's platform, e.g. `https://example.com/blog/{slug}`. */
  urlPattern: string | null;
  createdAt: Millis;
  /** Raised in each transaction that changes what readers can see. */
  contentVersion: number;
  /** Sequence of the newest event; 0: none yet. */
  eventSequence: number;
  /** Random; made anew when the data is restored from a backup, so that no ETag of before is ever matched again. */
  epoch: string;
}

/** @throws AppError `invalid` unless it is an absolute http(s) address. */
export function parseWebsiteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.hash !== "") {
    throw new AppError("invalid", `"${text}" is not a website's address; write it like https://example.com.`, {
      field: "url",
    });
  }
  return url.href.replace(/\/$/, "");
}

/** @throws AppError `invalid` unless it is an http(s) address with `{slug}` or `{id}` in it. */
export function parseUrlPattern(text: string): string {
  if (!/\{(slug|id)\}/.test(text) || !URL.canParse(text) || !/^https?:/.test(text)) {
    throw new AppError(
      "invalid",
      `"${text}" is not a URL pattern; write it like https://example.com/blog/{slug} ({slug} or {id} is filled in).`,
      { field: "url_pattern" },
    );
  }
  return text;
}

/** The address of an article by the website's pattern; null without one. */
export function patternUrl(website: Pick<Website, "urlPattern">, article: { id: string; slug: string }): string | null {
  if (website.urlPattern === null) return null;
  return website.urlPattern.replaceAll("{slug}", encodeURIComponent(article.slug)).replaceAll("{id}", article.id);
}
