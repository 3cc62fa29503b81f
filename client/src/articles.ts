/** Reads articles: a page, a single one, or a whole list that may change meanwhile. */
import { hasPreviewEnded, isMissing } from "./errors.ts";
import type { ApiResponse, RequestOptions, Transport } from "./transport.ts";
import type { Article, ArticleStatus, ArticleSummary, Pagination, RequestedFields } from "./types.ts";

/** Filters, order and page of a list. Times are ISO 8601. The service's docs/api.md explains each parameter. */
export interface ListParameters {
  status?: ArticleStatus | undefined;
  slug?: string | undefined;
  /** Any of several. */
  category?: Labels | undefined;
  /** Any of several. */
  tag?: Labels | undefined;
  /** All of them. */
  tags?: Labels | undefined;
  keyword?: string | undefined;
  /** A name in the byline; any of several. */
  author?: Labels | undefined;
  /** A BCP 47 tag such as `de`. */
  lang?: string | undefined;
  /** Full-text search. */
  q?: string | undefined;
  updated_since?: string | undefined;
  published_since?: string | undefined;
  sort?: `${"" | "-"}${"published_at" | "created_at" | "updated_at" | "title"}` | undefined;
  /** 1 to 100; default 50. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** Only these fields of each article, and those of `include`. */
  fields?: OneOrMore<keyof ArticleSummary | keyof ListedFields> | undefined;
  /**
   * What else each article is to have. With contents a page may have fewer than `limit` articles, because it ends at 4 MB of
   * content.
   */
  include?: OneOrMore<Inclusion> | undefined;
  /** With `include=content`: URLs in the HTML are absolute, resolved against the website's address. */
  urls?: "absolute" | undefined;
  /** With `include=content`: the website's own pictures in the HTML have their size and their other widths. */
  images?: "responsive" | undefined;
  /** With `include`: the forms of the content. Default `html`. */
  format?: OneOrMore<ContentFormat> | undefined;
}

type OneOrMore<Name extends string> = Name | readonly Name[];
/** One text may be several with commas between them. */
type Labels = string | readonly string[];

type ListedFields = Omit<RequestedFields, "neighbours" | "review_record">;
type Inclusion = "content" | keyof ListedFields;

/** The field for each: `content`, `content_markdown` and `content_text`. */
export type ContentFormat = "html" | "markdown" | "text";
type Contents<Format extends ContentFormat> = {
  [One in Format as One extends "html" ? "content" : `content_${One}`]: string;
};

/** The type of an article in a list with these parameters. */
export type Listed<Parameters extends ListParameters> = ([Named<Parameters, "fields">] extends [never]
  ? ArticleSummary
  : Pick<ArticleSummary & ListedFields, Extract<Named<Parameters, "fields">, keyof (ArticleSummary & ListedFields)>>) &
  ("content" extends Named<Parameters, "include"> ? Contents<Formats<Parameters>> : unknown) &
  Pick<ListedFields, Extract<Named<Parameters, "include">, keyof ListedFields>>;

/** The fields that the article should have. */
export interface DetailParameters {
  /** Only these, and those of `include`. */
  fields?: OneOrMore<keyof Article | keyof RequestedFields> | undefined;
  /** These beside the others. */
  include?: OneOrMore<"content" | keyof RequestedFields> | undefined;
  /** The forms of the content. Default `html`. */
  format?: OneOrMore<ContentFormat> | undefined;
  /** URLs in the HTML are absolute, resolved against the website's address. */
  urls?: "absolute" | undefined;
  /** The website's own pictures in the HTML have their size and their other widths. */
  images?: "responsive" | undefined;
}

export interface BySlugParameters extends DetailParameters {
  /** A BCP 47 tag such as `de`; an article that names no language is in the website's own. */
  lang?: string | undefined;
}

/** The type of an article that was requested with these parameters. */
export type Detailed<Parameters extends DetailParameters> = InFormat<
  [Named<Parameters, "fields">] extends [never]
    ? Article
    : Pick<
        Article & RequestedFields,
        | Extract<Named<Parameters, "fields">, keyof (Article & RequestedFields)>
        | Extract<Named<Parameters, "include">, "content">
      >,
  Parameters
> &
  Pick<RequestedFields, Extract<Named<Parameters, "include">, keyof RequestedFields>>;

type InFormat<One, Parameters> = [Named<Parameters, "format">] extends [never]
  ? One
  : Omit<One, "content"> & ("content" extends keyof One ? Contents<Formats<Parameters>> : unknown);

/** What the parameter names; never: it is absent. */
type Named<Parameters, Name extends string> = Parameters extends { readonly [One in Name]: infer Names }
  ? Names extends readonly (infer One)[]
    ? One
    : Extract<Names, string>
  : never;

type Formats<Parameters> = [Named<Parameters, "format">] extends [never]
  ? "html"
  : Extract<Named<Parameters, "format">, ContentFormat>;

export interface ArticlePage<Item = ArticleSummary> {
  articles: Item[];
  pagination: Pagination;
}

const PAGE = 100;
/** Allows for clock differences and delays between the service's processes in `updated_since`. */
const OVERLAP_MS = 2000;

/** Maximum length of a parameter's value. Slugs and labels are shorter. */
const MAX_NAME = 1000;

/** Its functions work without the object, too: `const { list } = rostrum.articles`. */
export class Articles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads one page. Without parameters: the 50 most recently published articles. It is empty for a slug or a label that no article can
   * have.
   */
  readonly list = async <const Parameters extends ListParameters>(
    parameters?: Parameters,
    options: RequestOptions = {},
  ): Promise<ArticlePage<Listed<Parameters>>> => (await this.#page<Listed<Parameters>>(parameters ?? {}, options)).data;

  /** @returns null if no article has this id, or the key may not read it now. */
  readonly get = async <const Parameters extends DetailParameters & RequestOptions>(
    id: string,
    options?: Parameters,
  ): Promise<Detailed<Parameters> | null> => await this.#one("/articles/", id, options ?? {});

  /**
   * Like `get`, but null for what is not published, unless a preview shows it. Also finds an article by an earlier slug: if the
   * returned `slug` differs, redirect to it. `lang`: only an article in this language, for websites whose languages have slugs of
   * their own.
   */
  readonly getBySlug = async <const Parameters extends BySlugParameters & RequestOptions>(
    slug: string,
    options?: Parameters,
  ): Promise<Detailed<Parameters> | null> => await this.#one("/articles/by-slug/", slug, options ?? {});

  /**
   * The published articles that share most tags, categories and keywords with this one, most related first; at most 20, default 5.
   */
  readonly related = async (
    id: string,
    { limit }: { limit?: number | undefined } = {},
    options: RequestOptions = {},
  ): Promise<ArticleSummary[]> => {
    const path = `/articles/${encodeURIComponent(id)}/related${queryOf({ limit })}`;
    return (await this.#transport.get<{ articles: ArticleSummary[] }>(path, options)).data.articles;
  };

  /**
   * Iterates over a whole list, each article once. An article that is in the list throughout is never missed, even while others are
   * published, deleted or moved. Articles that appear meanwhile come at the end.
   */
  readonly all = <const Parameters extends Omit<ListParameters, "limit" | "offset">>(
    parameters?: Parameters,
    options: RequestOptions = {},
  ): AsyncGenerator<Listed<Parameters>, void, undefined> => {
    const { fields, ...others } = (parameters ?? {}) as ListParameters;
    const query = fields === undefined ? others : { ...others, fields: [...new Set([fields, PLACE_FIELDS].flat())] };
    // The listed articles have at least the fields of `Listed`.
    return this.#each(query, options) as AsyncGenerator as AsyncGenerator<Listed<Parameters>, void, undefined>;
  };

  async *#each(parameters: ListParameters, options: RequestOptions): AsyncGenerator<Placed, void, undefined> {
    const seen = new Map<string, string>();
    const fresh = (articles: readonly Placed[]): Placed[] => {
      const unseen = articles.filter(({ id }) => !seen.has(id));
      for (const article of unseen) seen.set(article.id, placeOf(article));
      return unseen;
    };
    const first = await this.#page<Placed>({ ...parameters, limit: PAGE, offset: 0 }, options);
    let page = first;
    let offset = 0;
    for (;;) {
      const { articles, pagination } = page.data;
      yield* fresh(articles);
      offset += articles.length;
      if (articles.length === 0 || offset >= pagination.total) break;
      const { etag } = page;
      page = await this.#page<Placed>({ ...parameters, limit: PAGE, offset }, options);
      // The list has changed, so articles may have moved to earlier pages. Go back to a page whose start is known.
      while (page.etag !== etag && offset > 0 && !isKnown(page.data.articles[0], seen)) {
        offset = Math.max(0, offset - PAGE);
        page = await this.#page<Placed>({ ...parameters, limit: PAGE, offset }, options);
      }
    }
    if (page.etag === first.etag) return;
    // An article that moved meanwhile, for example by a new date, may have been missed on every page.
    const since = Math.max(first.date - OVERLAP_MS, Date.parse(parameters.updated_since ?? "") || 0);
    const changed = {
      ...parameters,
      updated_since: new Date(since).toISOString(),
      sort: "updated_at",
      limit: PAGE,
    } as const;
    for (let offset = 0; ;) {
      const { articles, pagination } = (await this.#page<Placed>({ ...changed, offset }, options)).data;
      yield* fresh(articles);
      offset += articles.length;
      if (articles.length === 0 || offset >= pagination.total) return;
    }
  }

  async #one<One>(folder: string, name: string, parameters: BySlugParameters & RequestOptions): Promise<One | null> {
    // `fetch` would resolve "." and "..".
    if (/^\.{0,2}$/.test(name) || !isPossible(name)) return null;
    const { lang, fields, include, format, urls, images, previewToken, ...options } = parameters;
    const chosen = { fields: joined(fields), include: joined(include), format: joined(format) };
    const query = queryOf({ lang, urls, images, ...chosen });
    const path = folder + encodeURIComponent(name) + query;
    const read = async (token: string | undefined) =>
      (await this.#transport.get<{ article: One }>(path, { ...options, previewToken: token })).data.article;
    try {
      return await read(previewToken).catch((error: unknown) => {
        if (!hasPreviewEnded(error)) throw error;
        return read(undefined);
      });
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async #page<Item>(parameters: ListParameters, options: RequestOptions): Promise<ApiResponse<ArticlePage<Item>>> {
    const { category, tag, tags, author, fields, include, format, ...others } = parameters;
    const { slug, keyword, limit = 50, offset = 0 } = others;
    const labels = { category: listed(category), tag: listed(tag), tags: listed(tags), author: listed(author) };
    if (![slug, keyword, ...Object.values(labels)].every((name) => name === undefined || isPossible(name))) {
      const data = { articles: [], pagination: { total: 0, limit, offset } };
      return { data, etag: null, date: Date.now() };
    }
    const chosen = { fields: joined(fields), include: joined(include), format: joined(format) };
    const query = queryOf({ ...others, ...labels, ...chosen });
    return await this.#transport.get<ArticlePage<Item>>(`/articles${query}`, options);
  }
}

/**
 * Whether an article may have this id, slug or label: sites take them from the addresses that visitors request. Several labels, separated
 * by commas, may be longer than one.
 */
function isPossible(name: string): boolean {
  return !name.includes("\0") && name.isWellFormed() && (name.length <= MAX_NAME || name.includes(","));
}

/** The fields that determine an article's position in a list. */
const PLACE_FIELDS = ["id", "published_at", "created_at", "title"] as const;
type Placed = Pick<ArticleSummary, (typeof PLACE_FIELDS)[number]>;

/** Whether the article was already seen at this position; then all before it were seen as well. */
function isKnown(article: Placed | undefined, seen: Map<string, string>): boolean {
  return article !== undefined && seen.get(article.id) === placeOf(article);
}

function placeOf({ published_at, created_at, title }: Placed): string {
  return `${published_at} ${created_at} ${title}`;
}

function joined(names: string | readonly string[] | undefined): string | undefined {
  return names === undefined ? undefined : [names].flat().join(",") || undefined;
}

/** An empty list is no filter. */
function listed(labels: Labels | undefined): string | undefined {
  return typeof labels === "string" ? labels : joined(labels);
}

/** @returns the given parameters as `?name=value&…` in a fixed order, or an empty string. */
export function queryOf(parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  given.sort(([one], [other]) => (one < other ? -1 : 1));
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return query === "" ? "" : `?${query}`;
}
