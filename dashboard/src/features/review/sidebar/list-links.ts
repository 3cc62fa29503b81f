/** The absolute http and https addresses that the article links to, each once, without parts of pages. */
export function listLinks(html: string, base: string | null): string[] {
  // Without a window, nothing in it loads or runs.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const urls = [...parsed.querySelectorAll("a[href], area[href]")].flatMap((link) => {
    const href = link.getAttribute("href") ?? "";
    const url = href.startsWith("#") ? null : URL.parse(href, base ?? undefined);
    if (url === null || !["http:", "https:"].includes(url.protocol) || url.href.length > MAX_LENGTH) return [];
    url.hash = "";
    return [url.href];
  });
  return [...new Set(urls)];
}

/** Maximum length of a URL that the service checks. */
const MAX_LENGTH = 2_000;
