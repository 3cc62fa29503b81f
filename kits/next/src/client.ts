import {
  type ArticleStore,
  type ArticleSummary,
  createClient,
  memoryStore,
  neighboursIn,
  type RequestedFields,
  type RequestOptions,
  type Rostrum,
  type StoredArticle,
  type TransportOptions,
} from "@rostrum/client";
import { PAGE_FIELDS } from "@rostrum/client/site";
import { unstable_cache } from "next/cache";
import { withChanges } from "./changes.ts";
import { recordRead } from "./renders.ts";
import { rostrumTags, tagsOfPath } from "./tags.ts";

/** Maximum attempts, in case articles keep changing while an answer is under way. */
const MAX_TRIES = 5;

/** An article with its content, and what its page uses beside it. */
export type PageArticle = StoredArticle &
  Pick<RequestedFields, (typeof PAGE_FIELDS)[number] | "neighbours"> &
  Partial<Pick<RequestedFields, "review_record">>;

export interface NextRostrum extends Rostrum {
  /** Null if it is not published, unless `previewToken` shows it. `lang`: only an article in this language. */
  findArticle(slug: string, options?: RequestOptions & { lang?: string | undefined }): Promise<PageArticle | null>;
}

/**
 * A client for Next.js. Pages built from its answers stay cached until a webhook reports a change of something in them; see
 * `createWebhookHandler`. When a page is rendered, the answers are confirmed by their ETags.
 */
export function createRostrum(options: Omit<TransportOptions, "fetch">): NextRostrum {
  const client = createClient({ ...options, fetch: rostrumFetch });
  const copies = new Map<string | undefined, Promise<Copy>>();
  return {
    ...client,
    async findArticle(slug, request = {}) {
      if (!isBuild() || request.previewToken !== undefined) {
        return await client.articles.getBySlug(slug, {
          ...request,
          include: [...PAGE_FIELDS, "neighbours", "review_record"],
        });
      }
      // A build reads all articles, a hundred per request, instead of one for each page.
      const { lang } = request;
      const copy = copies.get(lang) ?? copyAll(options, lang);
      copies.set(lang, copy);
      const { store, sorted } = await copy;
      const article = (await store.getBySlug(slug)) as PageArticle | null;
      // Gives the page its tags, as an answer would.
      const tags = [...rostrumTags.slug(slug), ...rostrumTags.neighbours()];
      await unstable_cache(async () => true, ["rostrum", slug], { tags })();
      return article === null ? null : { ...article, neighbours: neighboursIn(sorted, article) };
    },
  };
}

/**
 * `fetch` that tags the page with what is read. It bypasses Next.js's own cache of answers, which would store an outdated answer as
 * new if the article changed while it was under way. Such an answer is requested again.
 */
export async function rostrumFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  if (new Headers(init.headers).has("X-Preview-Token")) return await fetch(input, { ...init, cache: "no-store" });
  const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
  const own = tagsOfPath(pathname, searchParams);
  for (let tries = 1; ; tries++) {
    const tags = withChanges(own);
    const isLast = tries === MAX_TRIES;
    if (isLast) recordRead(tags);
    const response = await fetch(input, { ...init, next: { tags } });
    if (isLast) return response;
    if (withChanges(own).every((tag) => tags.includes(tag))) {
      recordRead(tags);
      return response;
    }
    await response.body?.cancel();
  }
}

interface Copy {
  store: ArticleStore;
  /** Newest first. */
  sorted: readonly ArticleSummary[];
}

async function copyAll(options: TransportOptions, lang: string | undefined): Promise<Copy> {
  const store = memoryStore();
  await createClient({ ...options, cache: false }).sync({ store, lang, include: PAGE_FIELDS });
  return { store, sorted: (await store.list({ limit: Infinity })).articles };
}

/** Next.js tells its configuration in the same way. */
function isBuild(): boolean {
  return globalThis.process?.env["NEXT_PHASE"] === "phase-production-build";
}
