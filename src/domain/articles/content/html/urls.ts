import { ADDRESS_LISTS, SCHEMES, VIDEO_HOSTS } from "./schema.ts";
import type { InternalLink } from "../../article.ts";
import type { Anchor } from "./text.ts";

/**
 * Whether a URL, as parsed or as in the source, may be used in this property. A colon before the first `/`, `?` or `#`
 * must end a listed scheme, so that nothing can hide one. What is uncertain in the source, such as an entity there, is
 * rejected, and the caller checks the decoded value.
 */
export function isSafeUrl(element: string, property: string, value: string): boolean {
  if (ADDRESS_LISTS.has(property)) return value.split(",").every((candidate) => hasScheme(candidate.trim(), WEB));
  const schemes = SCHEMES[property];
  if (schemes === undefined) return true;
  if (element === "iframe") return isVideoUrl(value);
  if (element === "img" && property === "src" && INLINE_IMAGE.test(value)) return true;
  return hasScheme(value, schemes);
}

/** The scheme of a URL for a report, e.g. `javascript:`; `unsafe` if it has none. */
export function getScheme(value: string): string {
  // Browsers ignore these characters, so they are used to hide a scheme.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(stripInvisible(value.slice(0, 200)));
  return scheme === null ? "unsafe" : scheme[0].toLowerCase();
}

/** Tidies a URL as browsers do: no whitespace around it, no line breaks or tabs in it, the scheme in lower case. */
export function tidyUrl(value: string): string {
  const trimmed = value.trim().replace(/^[a-z][a-z0-9+.-]*:/i, (scheme) => scheme.toLowerCase());
  return /[\t\n\r]/.test(trimmed) ? trimmed.replaceAll(/[\t\n\r]/g, "") : trimmed;
}

/** The address of a video iframe as `https`; unchanged if its host is not a video host. */
export function tidyVideoUrl(value: string): string {
  const https = tidyUrl(value).replace(/^(?:http:)?\/\//i, "https://");
  return isVideoUrl(https) ? https : value;
}

function isVideoUrl(value: string): boolean {
  const host = /^https:\/\/([a-z0-9.-]+)(?=[/?#]|$)/i.exec(value)?.[1];
  return host !== undefined && VIDEO_HOSTS.has(host.toLowerCase());
}

const WEB = ["http", "https"];
const INLINE_IMAGE = /^data:image\/[a-z0-9.+-]+[;,]/i;
/** The references that our own serialiser writes: none of them stands for a letter or a colon. */
const HARMLESS_REFERENCE = /&(?:amp|lt|gt|quot|apos|nbsp|#x26|#x27|#x22|#38|#39|#34);/gi;

function hasScheme(value: string, schemes: readonly string[]): boolean {
  const end = value.search(/[/?#]/);
  const head = end < 0 ? value : value.slice(0, end);
  const colon = head.indexOf(":");
  if (colon >= 0) return schemes.includes(head.slice(0, colon).toLowerCase());
  return !head.includes("&") || !head.replaceAll(HARMLESS_REFERENCE, "").includes("&");
}

function stripInvisible(value: string): string {
  let visible = "";
  for (const character of value) if (character.charCodeAt(0) > 0x20) visible += character;
  return visible;
}

export interface Links {
  /** Site-relative, each pair of text and URL once, in the order of the article. */
  internal: InternalLink[];
  /** Addresses of other websites, each once. */
  external: string[];
}

/** Sorts the links of an article into internal and external ones. Links to a place within the article are neither. */
export function sortLinks(anchors: readonly Pick<Anchor, "text" | "href">[], websiteUrl: string | null): Links {
  const ownHost = websiteUrl === null ? null : getHost(parseUrl(websiteUrl));
  const internal = new Map<string, InternalLink>();
  const external = new Set<string>();
  for (const { text, href } of anchors) {
    const url = siteRelative(href, ownHost);
    if (url === undefined) external.add(href);
    else if (url !== null) internal.set(`${url}\n${text}`, { text, url });
  }
  return { internal: [...internal.values()], external: [...external] };
}

/** The URL without the website's own host; `undefined` for another website, `null` if it is not a page at all. */
function siteRelative(href: string, ownHost: string | null): string | undefined | null {
  if (href === "" || href.startsWith("#")) return null;
  const absolute = /^(?:https?:)?[/\\]{2}/i.test(href);
  if (!absolute) return /^[a-z][a-z0-9+.-]*:/i.test(href) ? null : href;
  const plainHost = PLAIN_HOST.exec(href)?.[1];
  if (plainHost !== undefined && isPlain(plainHost) && withoutWww(plainHost) !== ownHost) return undefined;
  const url = parseUrl(href);
  if (url === null) return null;
  if (ownHost === null || getHost(url) !== ownHost) return undefined;
  return url.pathname + url.search + url.hash;
}

function parseUrl(url: string): URL | null {
  return URL.parse(url, "https://relative.invalid/");
}

/** The host with its port, without `www.`. */
function getHost(url: URL | null): string | null {
  return url === null ? null : withoutWww(url.host);
}

const withoutWww = (host: string): string => (host.startsWith("www.") ? host.slice("www.".length) : host);

const PLAIN_HOST = /^https?:\/\/((?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,})(?:[/?#]|$)/;
/** Whether the host is certainly valid and in its final form, which spares a URL parser (2 µs). */
const isPlain = (host: string): boolean => !host.includes("--") && host.length < 64;
