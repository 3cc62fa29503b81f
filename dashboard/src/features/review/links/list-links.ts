/** The absolute http and https addresses that the article links to, without fragments, each once. */
export function listLinks(html: string, base: string | null): string[] {
  // Without a window, nothing in it loads or runs.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const urls = [...parsed.querySelectorAll("a[href], area[href]")].flatMap((link) => {
    const href = link.getAttribute("href") ?? "";
    return (href.startsWith("#") ? null : toPageUrl(href, base)) ?? [];
  });
  return [...new Set(urls)];
}

/** The absolute URL of the page, without a part of it; null if it is none that the service checks. */
export function toPageUrl(href: string, base: string | null): string | null {
  const url = URL.parse(href, base ?? undefined);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.href.length > MAX_LENGTH) return null;
  url.hash = "";
  return url.href;
}

/** Maximum length of a URL that the service checks. */
const MAX_LENGTH = 2_000;
