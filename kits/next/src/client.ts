import {
  type ArticleStore,
  createClient,
  memoryStore,
  type RequestOptions,
  type Rostrum,
  type StoredArticle,
  type TransportOptions,
} from "@rostrum/client";
import { unstable_cache } from "next/cache";
import { wasExpiredSince } from "./expiry.ts";
import { rostrumTags, tagsOfPath } from "./tags.ts";

/** More tries than changes may come while one answer is under way. */
const MAX_TRIES = 5;

export interface NextRostrum extends Rostrum {
  /** An article's page: the list form and the content, or null if there is no such article. */
  findArticle(slug: string, options?: RequestOptions): Promise<StoredArticle | null>;
}

/**
 * A client for Next.js: pages that are built from its answers stay as they are until a webhook says that something in them has
 * changed; see `createWebhookHandler`. Answers themselves are confirmed by their ETags whenever a page is rendered.
 */
export function createRostrum(options: Omit<TransportOptions, "fetch">): NextRostrum {
  const client = createClient({ ...options, fetch: rostrumFetch });
  let copy: Promise<ArticleStore> | null = null;
  return {
    ...client,
    async findArticle(slug, request = {}) {
      if (!isBuild() || request.previewToken !== undefined) return await client.articles.getBySlug(slug, request);
      // A build reads all articles a hundred at a time, not each for its page.
      copy ??= copyAll(options);
      const article = await (await copy).getBySlug(slug);
      // Gives the page its tags, as an answer would.
      await unstable_cache(async () => true, ["rostrum", slug], { tags: rostrumTags.slug(slug) })();
      return article;
    },
  };
}

/**
 * `fetch` with the tags of what is asked for. It does not use Next.js's own cache of answers: what was under way when an article
 * changed would be kept there, marked as new. Such an answer is asked for again.
 */
export async function rostrumFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  if (new Headers(init.headers).has("X-Preview-Token")) return await fetch(input, { ...init, cache: "no-store" });
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const tags = tagsOfPath(pathname);
  for (let tries = 1; ; tries++) {
    const start = performance.now();
    const response = await fetch(input, { ...init, next: { tags } });
    if (tries === MAX_TRIES || !wasExpiredSince(tags, start)) return response;
    await response.body?.cancel();
  }
}

async function copyAll(options: TransportOptions): Promise<ArticleStore> {
  const store = memoryStore();
  await createClient({ ...options, cache: false }).sync({ store });
  return store;
}

/** Next.js says so to its own configuration in the same way. */
function isBuild(): boolean {
  return globalThis.process?.env["NEXT_PHASE"] === "phase-production-build";
}
