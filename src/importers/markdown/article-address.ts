/** The address of an article of a file: the one it names, or the one that its site's generator makes. */
import { toText, type ImportContext } from "../import-item.ts";
import { NO_SITE } from "../site.ts";
import { absoluteUrl, getHost, slugOfPath } from "../urls.ts";
import type { FrontMatterFields } from "./front-matter.ts";
import { type AddressSource, isPattern, siteAddress, siteBase } from "./site-address.ts";

export interface ArticleAddress {
  /** Undefined: unknown. */
  url: string | undefined;
  /** What about it was guessed, in words; null: nothing. */
  guess: string | null;
}

/** A `canonical_url` on another host is the original source instead. */
export function findAddress(
  { fields, ...source }: AddressSource,
  { websiteUrl, site = NO_SITE }: Pick<ImportContext, "websiteUrl" | "site">,
): ArticleAddress {
  const base = siteBase(site, websiteUrl);
  const named = absoluteUrl(fields.own("platform_url"), base) ?? onSite(fields, base);
  if (named !== undefined) return { url: named, guess: null };
  const address = addressField(fields);
  if (address !== undefined && !isPattern(address)) return { url: inSite(address, base), guess: null };
  const made = siteAddress({ fields, ...source }, site);
  if (made !== null) {
    const url = inSite(made.path, base);
    return { url, guess: made.isGuessed && url !== undefined ? made.path : null };
  }
  const pattern = address ?? (source.place.isPost ? site.permalink : null);
  return { url: undefined, guess: pattern === null ? null : `${pattern} (not filled in)` };
}

/** Where the front matter says that the page is: an address, or a pattern. */
export function addressField(fields: FrontMatterFields): string | undefined {
  return toText(fields.get("permalink", "path", "url"));
}

/** A `canonical_url` on another host. */
export function findOriginal(fields: FrontMatterFields, websiteUrl: string | null): string | undefined {
  const canonical = absoluteUrl(fields.get("canonical_url", "canonical"), websiteUrl);
  return websiteUrl === null || getHost(canonical) === getHost(websiteUrl) ? undefined : canonical;
}

export function slugFrom(fields: FrontMatterFields): string | undefined {
  const given = toText(fields.get("slug", "basename"));
  if (given !== undefined) return slugOfPath(given);
  const address = addressField(fields);
  return address === undefined || isPattern(address) ? undefined : slugOfPath(address);
}

function onSite(fields: FrontMatterFields, base: string | null): string | undefined {
  const canonical = absoluteUrl(fields.get("canonical_url", "canonical"), base);
  return canonical !== undefined && (base === null || getHost(canonical) === getHost(base)) ? canonical : undefined;
}

/** What generators take for a path within the site may have the site's own path before it. */
function inSite(path: string, base: string | null): string | undefined {
  if (base === null || !path.startsWith("/") || path.startsWith("//")) return absoluteUrl(path, base);
  return absoluteUrl(`${new URL(base).pathname.replace(/\/$/, "")}${path}`, base);
}
