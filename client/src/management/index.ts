/** The client of the management API: articles as machines write them. It is not part of what sites load. */
import { queryOf } from "../articles.ts";
import { ManagedArticles } from "./articles.ts";
import { FeedbackFeed } from "./feedback.ts";
import { ManagedFiles } from "./files.ts";
import { type CallOptions, type ManagementOptions, ManagementTransport } from "./transport.ts";
import type { Asset, Labels, Me } from "./types.generated.ts";

export interface Management {
  articles: ManagedArticles;
  feedback: FeedbackFeed;
  files: ManagedFiles;
  /** What your token is and may. */
  me: (options?: CallOptions) => Promise<Me>;
  labels: (options?: CallOptions) => Promise<Labels>;
  assets: {
    list: (options?: CallOptions & { cursor?: string; unused?: boolean }) => Promise<AssetList>;
    /** The same picture again is the same asset. */
    upload: (
      picture: { name: string; bytes: Uint8Array | Blob; alt?: string | undefined },
      options?: CallOptions,
    ) => Promise<Asset>;
    update: (id: string, change: { alt: string }, options?: CallOptions) => Promise<Asset>;
  };
  /** Every article, as `rostrum export` writes them. */
  exports: (options?: CallOptions) => AsyncGenerator<Record<string, unknown>, void, undefined>;
}

export interface AssetList {
  assets: (Asset & { use_count: number })[];
  /** The next cursor; null on the last page. */
  next: string | null;
}

/**
 * @example
 * const management = createManagementClient({ url: process.env.ROSTRUM_URL, token: process.env.ROSTRUM_TOKEN });
 * const { outcome, article } = await management.articles.upsert("tea-1", { title: "Water for Tea", markdown: "…" });
 */
export function createManagementClient(options: ManagementOptions): Management {
  const transport = new ManagementTransport(options);
  return {
    articles: new ManagedArticles(transport),
    feedback: new FeedbackFeed(transport),
    files: new ManagedFiles(transport),
    me: (call = {}) => transport.json({ path: "/me", ...call }),
    labels: (call = {}) => transport.json({ path: "/labels", ...call }),
    assets: {
      list: ({ cursor, unused, ...call } = {}) =>
        transport.json({
          path: `/assets${queryOf({ cursor, unused: unused === true ? "true" : undefined })}`,
          ...call,
        }),
      upload: ({ name, alt, bytes }, call = {}) => {
        const content = { type: "application/octet-stream", bytes };
        return transport.json({ method: "POST", path: `/assets${queryOf({ name, alt })}`, content, ...call });
      },
      update: (id, change, call = {}) =>
        transport.json({ method: "PATCH", path: `/assets/${encodeURIComponent(id)}`, body: change, ...call }),
    },
    exports: (call = {}) =>
      // Each line is an article.
      transport.lines({ path: "/exports", ...call }) as AsyncGenerator<Record<string, unknown>, void, undefined>,
  };
}

export { RostrumError } from "../errors.ts";
export type { ManagedArticles, ManagedListParameters, SaveOptions, Seen, UpsertOptions } from "./articles.ts";
export type { BatchArticle, BatchOptions } from "./batch.ts";
export type { ListedFile, ManagedFiles, SendFilesOptions } from "./files.ts";
export type { FeedbackFeed, FollowedFeedback, FollowFeedbackOptions } from "./feedback.ts";
export { type CallOptions, ManagementError, type ManagementOptions, type WriteOptions } from "./transport.ts";
export type * from "./types.generated.ts";
export type { ArticleStatus, InternalLink, PipelineStep, QualityMetrics } from "../types.ts";
