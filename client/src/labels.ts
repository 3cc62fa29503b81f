/** Labels with their counts, and redirects. */
import { queryOf } from "./articles.ts";
import type { RequestOptions, Transport } from "./transport.ts";

export interface Label {
  /** Value for list filters. */
  name: string;
  /** For URLs; no other tag has it, and no other category. */
  slug: string;
  /** Number of published articles with this label. */
  count: number;
}

export interface Redirect {
  /** An earlier slug of the article (`slug`), or one of its earlier addresses (`alias`). */
  from: string;
  kind: "slug" | "alias";
  /** The language of `from`, a BCP 47 tag; null: unknown. */
  language: string | null;
  article_id: string;
  /** The article's current slug. */
  slug: string;
  platform_url: string | null;
}

const PAGE = 1000;

/** The labels of all published articles, the most frequent first; 1,000 per request. */
export async function fetchLabels(transport: Transport, kind: "tags" | "categories", options: RequestOptions) {
  // By slug, because labels may move to another page between two requests.
  const labels = new Map<string, Label>();
  for (let offset = 0; ; offset += PAGE) {
    const path = `/${kind}${queryOf({ offset: offset === 0 ? undefined : offset })}`;
    const { data } = await transport.get<Partial<Record<typeof kind, Label[]>>>(path, options);
    const found = data[kind] ?? [];
    for (const label of found) labels.set(label.slug, label);
    if (found.length < PAGE) return [...labels.values()];
  }
}

/** Every earlier slug and address with the current slug of its article. No redirect leads to another one. */
export async function* fetchRedirects(
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
