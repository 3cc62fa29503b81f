import type { Millis } from "./time.ts";
import { parseLanguageTag } from "./language-tag.ts";
import { AppError } from "./errors.ts";
import { singleLine } from "./foreign-text.ts";
import { isoTime } from "./time.ts";
import { withoutTrailing } from "./trailing.ts";

/** `machine`: of those that senders, access tokens and generators delivered. */
export const INTEGRITY_GATES = ["machine", "all", "off"] as const;
export type IntegrityGate = (typeof INTEGRITY_GATES)[number];

/** The tenant: owns articles and keys. */
export interface Website {
  id: string;
  name: string;
  /** `https://example.com`, without a trailing slash. */
  url: string | null;
  /** The address of a published article on the customer's platform, e.g. `https://example.com/blog/{slug}`. */
  urlPattern: string | null;
  /** Where the website shows an article that is not published, e.g. `https://example.com/preview?token={token}`. */
  previewUrl: string | null;
  /** The URL before `/assets/…` of its pictures, such as a CDN's; null for the service's own. */
  assetUrl: string | null;
  /** BCP 47: the language of articles that name none; null: unknown. */
  language: string | null;
  /** IANA name: the zone in which its people plan. */
  timeZone: string;
  /** Whether a slug is unique within the website and a language, not within the website. */
  slugsPerLanguage: boolean;
  /** Whether its members need a session with a second factor. */
  requiresSecondFactor: boolean;
  /** Whether an article is approved by somebody other than those who wrote it, or last changed it. */
  requiresSecondPerson: boolean;
  /** How long a publication in the dashboard waits, so that it can be undone; 0: not at all. */
  publishDelaySeconds: number;
  /** Whose articles wait for a person while they have blocking findings. */
  integrityGate: IntegrityGate;
  /** Tags and categories whose articles are alike on purpose, such as release notes. */
  seriesLabels: string[];
  /** Who answers for what it publishes: a legal name, and the address of the imprint; null: not told. */
  responsibleName: string | null;
  responsibleUrl: string | null;
  /** Whether review records name the people who approved; otherwise each has a pseudonym. */
  namesReviewers: boolean;
  /** Whether its feeds, sitemap and llms.txt are served to everybody. */
  servesFeeds: boolean;
  /** Shows search engines that a ping comes from the website; null: changes are not told. */
  indexNowKey: string | null;
  /** When `url` last changed; 0: never. */
  urlChangedAt: Millis;
  createdAt: Millis;
  /** Incremented by each transaction that changes what readers can see. */
  contentVersion: number;
  /** Sequence of the newest event; 0 if there is none yet. */
  eventSequence: number;
  /** Random; replaced when the data is restored from a backup, so that no earlier ETag ever matches again. */
  epoch: string;
}

/** A website as the dashboard's API and the commands show it. */
export function toWebsiteJson(website: Website) {
  return {
    id: website.id,
    name: website.name,
    url: website.url,
    url_pattern: website.urlPattern,
    preview_url: website.previewUrl,
    asset_url: website.assetUrl,
    language: website.language,
    time_zone: website.timeZone,
    slugs_per_language: website.slugsPerLanguage,
    requires_second_factor: website.requiresSecondFactor,
    requires_second_person: website.requiresSecondPerson,
    publish_delay_seconds: website.publishDelaySeconds,
    integrity_gate: website.integrityGate,
    series_labels: website.seriesLabels,
    responsible_name: website.responsibleName,
    responsible_url: website.responsibleUrl,
    names_reviewers: website.namesReviewers,
    serves_feeds: website.servesFeeds,
    index_now_key: website.indexNowKey,
    created_at: isoTime(website.createdAt),
  };
}

export const PUBLISH_DELAY_SECONDS = { default: 10, max: 60 } as const;

const MAX_NAME = 200;
const MAX_URL = 2_048;

/** @throws AppError `invalid`. */
export function parseWebsiteName(text: string): string {
  const name = singleLine(text);
  if (name === "" || name.length > MAX_NAME) {
    throw new AppError("invalid", `A website needs a name of 1 to ${MAX_NAME} characters.`, { field: "name" });
  }
  return name;
}

/** @throws AppError `invalid` unless it is an absolute http(s) address. */
export function parseWebsiteUrl(text: string): string {
  assertLength(text, "url");
  const url = URL.canParse(text) ? new URL(text) : null;
  const hasUser = url !== null && url.username + url.password !== "";
  if (url === null || !/^https?:$/.test(url.protocol) || hasUser || url.hash !== "") {
    throw new AppError("invalid", `"${text}" is not a website's address; write it like https://example.com.`, {
      field: "url",
    });
  }
  return url.href.replace(/\/$/, "");
}

/** `{/lang}`: slash and language, empty in the website's own; `{year}`: of the publication, in UTC. @throws AppError `invalid` without `{slug}` or `{id}`. */
export function parseUrlPattern(text: string): string {
  assertLength(text, "url_pattern");
  // The pattern becomes an address as written, so it must not contain characters that an address must not.
  const isPlain = URL.canParse(text) && /^https?:\/\/[^\s"<>\0]+$/.test(text);
  if (!isPlain || !/\{(slug|id)\}/.test(text)) {
    throw new AppError(
      "invalid",
      `"${text}" is not a URL pattern; write it like https://example.com/blog/{slug} ({slug} or {id} is required; {lang}, {year}, {month} and {day} are filled in, too).`,
      { field: "url_pattern" },
    );
  }
  return text;
}

/** @throws AppError `invalid` if two articles with the same slug in different languages would have the same address. */
export function assertAddressPerLanguage({ language, urlPattern }: Pick<Website, "language" | "urlPattern">): void {
  if (language === null) {
    throw new AppError("invalid", "Slugs per language need the website's own language: set it, or turn them off.", {
      field: "language",
    });
  }
  if (urlPattern === null || !/\{(\/?lang|id)\}/.test(urlPattern)) {
    throw new AppError(
      "invalid",
      "Slugs per language need a URL pattern with the language in it, such as https://example.com/{lang}/blog/{slug}, or " +
        "https://example.com{/lang}/blog/{slug} if pages in the website's own language have no prefix.",
      { field: "url_pattern" },
    );
  }
}

/** @throws AppError `invalid` unless it is an http(s) URL without parameters. */
export function parseAssetUrl(text: string): string {
  assertLength(text, "asset_url");
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === "";
  if (!isPlain) {
    throw new AppError("invalid", `"${text}" is not an address for pictures; write it like https://cdn.example.com.`, {
      field: "asset_url",
    });
  }
  return withoutTrailing(url.href, "/");
}

/** @returns the name on one line. @throws AppError `invalid` if it is too long. */
export function parseResponsibleName(text: string): string {
  const name = singleLine(text);
  if (name !== "" && name.length <= MAX_NAME) return name;
  throw new AppError("invalid", `The name of the person or company responsible has 1 to ${MAX_NAME} characters.`, {
    field: "responsible_name",
  });
}

/** @throws AppError `invalid` unless it is an http(s) address. */
export function parseResponsibleUrl(text: string): string {
  assertLength(text, "responsible_url");
  if (URL.canParse(text) && /^https?:\/\/[^\s"<>\0]+$/.test(text)) return text;
  throw new AppError("invalid", `"${text}" is not an address; write it like https://example.com/imprint.`, {
    field: "responsible_url",
  });
}

const MAX_SERIES = 50;

/** Each on one line and once. @throws AppError `invalid` for too many, or one that is too long. */
export function parseSeriesLabels(given: readonly string[]): string[] {
  const labels = [...new Set(given.map(singleLine).filter((label) => label !== ""))];
  if (labels.length <= MAX_SERIES && labels.every((label) => label.length <= MAX_NAME)) return labels;
  throw new AppError(
    "invalid",
    `A website has at most ${MAX_SERIES} series, with names of up to ${MAX_NAME} characters.`,
    {
      field: "series_labels",
    },
  );
}

/** @throws AppError `invalid` unless it is a language tag. @returns it in its usual spelling. */
export function parseWebsiteLanguage(text: string): string {
  const tag = parseLanguageTag(text);
  if (tag !== undefined) return tag;
  throw new AppError("invalid", `"${text.slice(0, 100)}" is not a language tag (BCP 47); write it like de or pt-BR.`, {
    field: "language",
  });
}

function assertLength(text: string, field: string): void {
  if (text.length <= MAX_URL) return;
  throw new AppError("invalid", `The address is too long: at most ${MAX_URL.toLocaleString("en-US")} characters.`, {
    field,
  });
}

/** @throws AppError `invalid` unless it is an http(s) address with `{token}` in it. */
export function parsePreviewUrl(text: string): string {
  assertLength(text, "preview_url");
  const isPlain = URL.canParse(text) && /^https?:\/\/[^\s"<>\0]+$/.test(text);
  // Where the host or its port is filled in, the token would go to whoever owns the name that results.
  const isInPath = /^https?:\/\/[^/{}]+(?:\{\/lang\})?\/.*\{token\}/.test(text);
  if (!isPlain || !isInPath) {
    throw new AppError(
      "invalid",
      `"${text}" is not a preview address; write it like https://example.com/preview?id={id}&token={token} ({token} is required; {id}, {slug} and {lang} are filled in, too).`,
      { field: "preview_url" },
    );
  }
  return text;
}

interface Addressed {
  id: string;
  slug: string;
  /** BCP 47; null: the website's own language. */
  language: string | null;
  /** For `{year}`, `{month}` and `{day}`. */
  publishedAt?: Millis | null;
}

/** The website's preview address with the article and the token filled in; a language that is not known is left out. */
export function fillPreviewUrl(
  previewAddress: string,
  website: Pick<Website, "language">,
  article: Addressed,
  token: string,
): string {
  return fill(previewAddress, website, article)
    .replaceAll(/\{(?:lang|year|month|day)\}/g, "")
    .replaceAll("{token}", token);
}

/** The article's address by the website's pattern; null without one, or if it needs an unknown language or date. */
export function patternUrl(website: Pick<Website, "urlPattern" | "language">, article: Addressed): string | null {
  const filled = website.urlPattern === null ? null : fill(website.urlPattern, website, article);
  return filled !== null && /\{(?:lang|year|month|day)\}/.test(filled) ? null : filled;
}

function fill(
  pattern: string,
  website: Pick<Website, "language">,
  { id, slug, language, publishedAt }: Addressed,
): string {
  const known = language ?? website.language;
  const filled = pattern
    .replaceAll("{/lang}", known === null || known === website.language ? "" : `/${known}`)
    .replaceAll("{slug}", encodeURIComponent(slug))
    .replaceAll("{id}", id);
  const inLanguage = known === null ? filled : filled.replaceAll("{lang}", known);
  if (publishedAt == null) return inLanguage;
  const [year = "", month = "", day = ""] = isoTime(publishedAt).slice(0, 10).split("-");
  return inLanguage.replaceAll("{year}", year).replaceAll("{month}", month).replaceAll("{day}", day);
}
