/** An absolute URL, by `base`. `undefined`: not http(s), or relative without one: readers could not follow it. */
export function absoluteUrl(given: unknown, base: string | null): string | undefined {
  if (typeof given !== "string" || given.trim() === "") return undefined;
  const address = given.trim().replace(/^\/\//, "https://");
  if (/^https?:\/\//i.test(address)) return URL.canParse(address) ? address : undefined;
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || base === null) return undefined;
  const folder = base.endsWith("/") ? base : `${base}/`;
  if (!URL.canParse(address, folder)) return undefined;
  const { href, protocol } = new URL(address, folder);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

/** Host of a URL, or `""`. */
export function getHost(address: string | undefined | null): string {
  return address != null && URL.canParse(address) ? new URL(address).host : "";
}

/** The last segment of a path or URL as a slug: without `.html`, percent-decoded. `undefined`: there is none. */
export function slugOfPath(path: string): string | undefined {
  const [plain = ""] = path.replace(/^[a-z]+:\/\/[^/]*/i, "").split(/[?#]/, 1);
  const parts = plain.split("/");
  const last = parts.findLast((part) => part !== "" && !/^index\.\w+$/.test(part));
  const slug = last?.replace(/\.(?:html?|php|aspx?|md|markdown)$/i, "");
  return slug === undefined || slug === "" ? undefined : decoded(slug);
}

/** Decodes percent-encoded slugs in other alphabets, as WordPress stores them. */
export function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug);
  } catch {
    return slug;
  }
}
