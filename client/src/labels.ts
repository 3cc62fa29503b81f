/** What a site needs beside its articles: labels with their counts, and redirects. */
import { queryOf } from "./articles.ts";
import type { RequestOptions, Transport } from "./transport.ts";

export interface Label {
  /** Filter lists by it. */
  name: string;
  /** For addresses. */
  slug: string;
  /** How many published articles have it. */
  count: number;
}

export interface Redirect {
  /** An earlier slug of the article (`slug`), or an earlier address of it (`alias`). */
  from: string;
  kind: "slug" | "alias";
  article_id: string;
  /** The article's slug of today. */
  slug: string;
  platform_url: string | null;
}

const PAGE = 1000;

/** The labels of all published articles, the most frequent first; at most 1,000. */
export async function readLabels(transport: Transport, kind: "tags" | "categories", options: RequestOptions) {
  const { data } = await transport.get<Partial<Record<typeof kind, Label[]>>>(`/${kind}`, options);
  return data[kind] ?? [];
}

/** Each earlier slug and address that leads to an article of today, in one step. */
export async function* readRedirects(
  transport: Transport,
  options: RequestOptions,
): AsyncGenerator<Redirect, void, undefined> {
  for (let after: string | undefined; ;) {
    const path = `/redirects${queryOf({ after, limit: PAGE })}`;
    const { data } = await transport.get<{
      redirects: Redirect[];
      pagination: { next_after: string; has_more: boolean };
    }>(path, options);
    yield* data.redirects;
    if (!data.pagination.has_more) return;
    after = data.pagination.next_after;
  }
}
