/** Where the links of an article lead: to an article of the website, or to another page, which is checked. */
import { patternUrl, type Website } from "../../../domain/system/website.ts";
import { listBySlug } from "../../../store/articles/article-queries.ts";
import { listFormer } from "../../../store/articles/redirects.ts";
import type { Snapshot } from "../../../store/store.ts";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import type { Deps, LinkCheck } from "../../system/deps.ts";
import { loadWebsite } from "../../../store/system/websites.ts";

export interface CheckedLink {
  url: string;
  /** null for a link to an article of the website, which its state describes. */
  check: LinkCheck | null;
  /** `isFormer`: the link has an earlier address of it. */
  article: { id: string; status: ArticleStatus; isFormer: boolean } | null;
}

interface LinksToCheck {
  urls: readonly string[];
  /** The URLs among these that the article contains; no others are checked. */
  contained: ReadonlySet<string>;
  /** Whether to repeat earlier checks. */
  again: boolean;
}

const NOT_CONTAINED = {
  state: "unclear",
  reason: "The article does not contain this link",
  leadsTo: null,
  checkedAt: null,
} as const;

/** Does not wait for checks: those that have not ended say so. */
export async function checkLinks(
  deps: Pick<Deps, "store" | "checkLink">,
  websiteId: string,
  { urls, contained, again }: LinksToCheck,
): Promise<CheckedLink[]> {
  const articles = await deps.store.read(async (db) => {
    const website = await loadWebsite(db, websiteId);
    const found: CheckedLink["article"][] = [];
    for (const url of urls) found.push(await findLinkedArticle(db, website, url));
    return found;
  });
  return urls.map((url, index) => {
    const article = articles[index] ?? null;
    if (article !== null) return { url, article, check: null };
    return { url, article, check: contained.has(url) ? deps.checkLink(websiteId, url, again) : NOT_CONTAINED };
  });
}

/** The article by its slug at the end of the path, or by an earlier one. */
async function findLinkedArticle(db: Snapshot, website: Website, link: string): Promise<CheckedLink["article"]> {
  const url = URL.parse(link);
  const home = website.url === null ? null : URL.parse(website.url);
  if (url === null || home === null || toHost(url) !== toHost(home)) return null;
  const slug = decodeSegment(url.pathname.split("/").findLast((segment) => segment !== "") ?? "");
  if (slug === null || slug === "") return null;
  const current = await listBySlug(db, website.id, slug);
  const holder = current.find((one) => isAddressOf(url, website, { ...one, slug }));
  if (holder !== undefined) return { id: holder.id, status: holder.status, isFormer: false };
  // Where slugs are unique within the website, one that an article has is no earlier one of another.
  if (current.length > 0 && !website.slugsPerLanguage) return null;
  const former = await listFormer(db, website.id, slug);
  const moved = former.find((one) => isAddressOf(url, website, { ...one, slug }));
  return moved === undefined ? null : { id: moved.id, status: "published", isFormer: true };
}

/** Another page of the website may end as an article's slug does. */
function isAddressOf(
  url: URL,
  website: Website,
  article: { id: string; slug: string; language: string | null },
): boolean {
  const expected = URL.parse(patternUrl(website, article) ?? "");
  return expected === null || toPath(expected) === toPath(url);
}

function toHost({ host }: URL): string {
  return host.replace(/^www\./, "");
}

function toPath({ pathname }: URL): string {
  return pathname.replace(/\/$/, "");
}

function decodeSegment(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
