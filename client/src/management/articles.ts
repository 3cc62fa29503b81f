/** Articles as machines write them. Actions take the article that was seen, and fail if somebody has changed it since. */
import { queryOf } from "../articles.ts";
import { type BatchArticle, type BatchOptions, sendBatch } from "./batch.ts";
import { type CallOptions, ManagementError, type ManagementTransport, type WriteOptions } from "./transport.ts";
import type {
  Article,
  ArticleList,
  ArticlePatch,
  ArticleSnippet,
  ArticleState,
  BatchItem,
  BroughtArticle,
  Check,
  Comments,
  Deliveries,
  DraftCopy,
  History,
  NewArticle,
  NewComment,
  Redline,
  Revision,
  Translations,
  UpsertAnswer,
} from "./types.generated.ts";

/** An article as you saw it. The etag `*` is for whatever is there. */
export interface Seen {
  id: string;
  etag: string;
}

export interface ManagedListParameters {
  /** Default: all states but `trash`. */
  state?: ArticleState | undefined;
  /** Words that the article has. */
  q?: string | undefined;
  tag?: string | undefined;
  category?: string | undefined;
  keyword?: string | undefined;
  author?: string | undefined;
  external_id?: string | undefined;
  /** ISO 8601. */
  updated_since?: string | undefined;
  /** Default: newest first. */
  sort?: `${"" | "-"}${"created_at" | "updated_at" | "published_at" | "title"}` | undefined;
  /** 1 to 100; default 50. */
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface SaveOptions extends WriteOptions {
  /** Saves the article even if more than a tenth of its text is lost. */
  acceptLoss?: boolean | undefined;
}

export interface UpsertOptions extends CallOptions, Pick<SaveOptions, "acceptLoss"> {
  /** Replaces what people changed; otherwise that is held. Needs the scope `publish`. */
  overwrite?: boolean | undefined;
}

const PAGE = 100;

/** Its functions work without the object, too: `const { upsert } = management.articles`. */
export class ManagedArticles {
  readonly #transport: ManagementTransport;

  constructor(transport: ManagementTransport) {
    this.#transport = transport;
  }

  readonly list = (parameters: ManagedListParameters = {}, options: CallOptions = {}): Promise<ArticleList> =>
    this.#transport.json({ path: `/articles${queryOf({ ...parameters })}`, ...options });

  /** All that match, oldest first, each once; one that stops or begins to match meanwhile may be missed. */
  readonly all = (
    parameters: Omit<ManagedListParameters, "limit" | "offset"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ArticleSnippet, void, undefined> => this.#all({ sort: "created_at", ...parameters }, options);

  async *#all(
    parameters: ManagedListParameters,
    options: CallOptions,
  ): AsyncGenerator<ArticleSnippet, void, undefined> {
    const seen = new Set<string>();
    let before = 0;
    for (let offset = 0; ;) {
      const { articles, total } = await this.list({ ...parameters, limit: PAGE, offset }, options);
      for (const article of articles) {
        if (!seen.has(article.id)) yield article;
        seen.add(article.id);
      }
      // What has left the list moves what follows forward.
      offset += articles.length - Math.max(0, before - total);
      before = total;
      if (articles.length === 0 || offset >= total) return;
    }
  }

  /** @returns null if there is none. */
  readonly get = (id: string, options: CallOptions = {}): Promise<Article | null> =>
    orNull(this.#article({ path: articlePath(id), ...options }));

  /** @returns null if there is none. */
  readonly getByExternalId = (externalId: string, options: CallOptions = {}): Promise<Article | null> =>
    orNull(this.#article({ path: `/articles/by-external-id/${encodeURIComponent(externalId)}`, ...options }));

  readonly create = (article: NewArticle, { acceptLoss, ...options }: SaveOptions = {}): Promise<Article> =>
    this.#article({ method: "POST", path: `/articles${flags({ acceptLoss })}`, body: article, ...options });

  /** Changes the fields that the patch names; null clears. Changes of a published article wait in its draft copy. */
  readonly update = (seen: Seen, patch: ArticlePatch, { acceptLoss, ...options }: SaveOptions = {}): Promise<Article> =>
    this.#article({
      method: "PATCH",
      path: `${articlePath(seen.id)}${flags({ acceptLoss })}`,
      body: patch,
      etag: seen.etag,
      ...options,
    });

  /** Creates the article, or changes of it what you changed; what people changed, too, is held for them to decide. */
  readonly upsert = (
    externalId: string,
    article: BroughtArticle,
    { overwrite, acceptLoss, ...options }: UpsertOptions = {},
  ): Promise<UpsertAnswer> =>
    this.#transport.json({
      method: "PUT",
      path: `/articles/by-external-id/${encodeURIComponent(externalId)}${flags({ overwrite, acceptLoss })}`,
      body: article,
      ...options,
    });

  /**
   * The same for many: yields what became of each, in their order, as it happens. They are sent some megabytes at a time, which
   * are kept until they are answered, so that a broken connection goes on where it broke off.
   */
  readonly batch = (
    articles: AsyncIterable<BatchArticle> | Iterable<BatchArticle>,
    options: BatchOptions = {},
  ): AsyncGenerator<BatchItem, void, undefined> => sendBatch(this.#transport, articles, options);

  /** What would be saved. With an `id`, absent fields are taken from that article. */
  readonly check = (
    changes: DraftCopy["changes"],
    { id, ...options }: CallOptions & { id?: string } = {},
  ): Promise<Check> =>
    this.#transport.json({ method: "POST", path: "/articles/check", body: { id, changes }, ...options });

  readonly submit = (seen: Seen, options?: WriteOptions) => this.#act(seen, "submit", {}, options);
  readonly withdraw = (seen: Seen, options?: WriteOptions) => this.#act(seen, "withdraw", {}, options);
  /** @param accountId null: nobody. */
  readonly assign = (seen: Seen, accountId: string | null, options?: WriteOptions) =>
    this.#act(seen, "assign", { assignee_id: accountId }, options);
  /** @param comments ids of threads that say more. */
  readonly requestChanges = (
    seen: Seen,
    { reason, comments }: { reason: string; comments?: string[] | undefined },
    options?: WriteOptions,
  ) => this.#act(seen, "request-changes", { reason, comments }, options);
  readonly approve = (seen: Seen, options?: WriteOptions) => this.#act(seen, "approve", {}, options);
  readonly unapprove = (seen: Seen, options?: WriteOptions) => this.#act(seen, "unapprove", {}, options);
  readonly publish = (seen: Seen, options?: WriteOptions) => this.#act(seen, "publish", {}, options);
  /** @param at a time in the future; null cancels. */
  readonly schedule = (seen: Seen, at: Date | null, options?: WriteOptions) =>
    this.#act(seen, "schedule", { publish_at: at === null ? null : at.toISOString() }, options);
  readonly unpublish = (seen: Seen, options?: WriteOptions) => this.#act(seen, "unpublish", {}, options);
  readonly approveAndPublish = (seen: Seen, options?: WriteOptions) =>
    this.#act(seen, "approve-and-publish", {}, options);
  readonly approveAndSchedule = (seen: Seen, at: Date, options?: WriteOptions) =>
    this.#act(seen, "approve-and-schedule", { publish_at: at.toISOString() }, options);
  /** Moves it to the trash. */
  readonly delete = (seen: Seen, options?: WriteOptions) => this.#act(seen, "delete", {}, options);
  readonly restore = (seen: Seen, options?: WriteOptions) => this.#act(seen, "restore", {}, options);
  readonly publishDraft = (seen: Seen, options?: WriteOptions) => this.#act(seen, "draft/publish", {}, options);
  readonly discardDraft = (seen: Seen, options: CallOptions = {}): Promise<Article> =>
    this.#article({ method: "DELETE", path: `${articlePath(seen.id)}/draft`, etag: seen.etag, ...options });
  readonly restoreRevision = (seen: Seen, revision: string, options?: WriteOptions) =>
    this.#act(seen, `revisions/${encodeURIComponent(revision)}/restore`, {}, options);

  /** Asks people to delete it. */
  readonly requestRemoval = (id: string, reason: string, options: WriteOptions = {}): Promise<Article> =>
    this.#article({ method: "POST", path: `${articlePath(id)}/removal-request`, body: { reason }, ...options });

  /** Newest first. */
  readonly history = (
    id: string,
    { cursor, ...options }: CallOptions & { cursor?: string | undefined } = {},
  ): Promise<History> => this.#transport.json({ path: `${articlePath(id)}/history${queryOf({ cursor })}`, ...options });

  readonly revision = (id: string, revision: string, options: CallOptions = {}): Promise<Revision> =>
    this.#transport.json({ path: `${articlePath(id)}/revisions/${encodeURIComponent(revision)}`, ...options });

  /** What differs. Each side is `current`, `draft`, `approved` or the id of a revision. */
  readonly redline = (id: string, sides: { from: string; to: string }, options: CallOptions = {}): Promise<Redline> =>
    this.#transport.json({ path: `${articlePath(id)}/redline${queryOf(sides)}`, ...options });

  readonly translations = async (id: string, options: CallOptions = {}): Promise<Translations["translations"]> =>
    (await this.#transport.json<Translations>({ path: `${articlePath(id)}/translations`, ...options })).translations;

  readonly deliveries = async (id: string, options: CallOptions = {}): Promise<Deliveries["webhooks"]> =>
    (await this.#transport.json<Deliveries>({ path: `${articlePath(id)}/deliveries`, ...options })).webhooks;

  readonly comments = (id: string, options: CallOptions = {}): Promise<Comments> =>
    this.#transport.json({ path: `${articlePath(id)}/comments`, ...options });

  readonly comment = (id: string, comment: NewComment, options: WriteOptions = {}): Promise<Comments> =>
    this.#transport.json({ method: "POST", path: `${articlePath(id)}/comments`, body: comment, ...options });

  readonly reply = (id: string, thread: string, text: string, options: WriteOptions = {}): Promise<Comments> =>
    this.#thread(id, thread, "replies", { text }, options);
  readonly resolve = (id: string, thread: string, options: WriteOptions = {}): Promise<Comments> =>
    this.#thread(id, thread, "resolve", undefined, options);
  readonly reopen = (id: string, thread: string, options: WriteOptions = {}): Promise<Comments> =>
    this.#thread(id, thread, "reopen", undefined, options);

  #thread(id: string, thread: string, action: string, body: object | undefined, options: WriteOptions) {
    const path = `${articlePath(id)}/comments/${encodeURIComponent(thread)}/${action}`;
    return this.#transport.json<Comments>({ method: "POST", path, body, ...options });
  }

  #act({ id, etag }: Seen, action: string, body: object, options: WriteOptions = {}): Promise<Article> {
    return this.#article({ method: "POST", path: `${articlePath(id)}/${action}`, body, etag, ...options });
  }

  async #article(request: Parameters<ManagementTransport["json"]>[0]): Promise<Article> {
    return (await this.#transport.json<{ article: Article }>(request)).article;
  }
}

function articlePath(id: string): string {
  return `/articles/${encodeURIComponent(id)}`;
}

/** @returns the parameters that are true, by their names in the API. */
export function flags(given: Record<string, boolean | undefined>): string {
  const names = Object.entries(given).filter(([, value]) => value === true);
  return queryOf(
    Object.fromEntries(names.map(([name]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), "true"])),
  );
}

async function orNull(article: Promise<Article>): Promise<Article | null> {
  try {
    return await article;
  } catch (error) {
    // Only the service's own word says that there is none.
    if (error instanceof ManagementError && error.code === "not_found") return null;
    throw error;
  }
}
