/** The list of articles (docs/specification.md, 4.1). */
import { CONTENT_FORMATS, type ContentFormat } from "../../domain/articles/api-format.ts";
import {
  contentSizes,
  loadContents,
  loadOptionalFields,
  type ResponseFields,
} from "../../store/articles/optional-fields.ts";
import type { Snapshot } from "../../store/store.ts";
import type { ListQuery } from "../../operations/articles/read-model/list-query.ts";
import type { SnapshotPage, SnapshotReader } from "../../operations/articles/read-model/read-model.ts";
import { prepareRewriting, type Rewriting, rewritingFacts, withRewriting, withToc } from "./content-fields.ts";
import { PENDING_TEXT, statusForbidden, tooManyRequests } from "./error-responses.ts";
import { type ListParameters, parseListParameters } from "./parameters.ts";
import type { Read, SnapshotAnswers } from "./snapshot-answers.ts";
import { listEtag, newAnswer, pageLinks, stamp, warningHeaders, withFacts } from "./response-headers.ts";
import { ARTICLES, getSearch } from "./routes.ts";
import { presentList, withFields } from "./serializers.ts";

/** Maximum bytes of content on a page, as stored, but for a single larger article: bounds memory and time. */
export const PAGE_CONTENT_BYTES = 4 * 1024 * 1024;
/** Bytes after which other requests get their turn: half a millisecond's. */
const SLICE_BYTES = 128 * 1024;

export async function answerList(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const asked = parseListParameters(getSearch(exchange.url));
  const { query, fields, debug, warnings } = asked;
  if (query.status !== "published" && caller.key.scope === "published") {
    return answers.responder.refuse(exchange, statusForbidden(query.status));
  }
  // What the detail refuses: the table of contents has the text's headings, and a search finds what the text says.
  const readsText = asked.formats !== null || asked.optional.includes("toc") || query.filter.words !== undefined;
  if (query.status === "pending" && readsText) {
    return answers.responder.refuse(exchange, PENDING_TEXT);
  }
  // A 304 needs no order, which after a start may not be loaded yet.
  const isConditional = !exchange.isOverLimit && exchange.req.headers["if-none-match"] !== undefined;
  const current = isConditional ? await answers.state(read) : answers.readModel.current(caller.key.websiteId);
  const isPublished = query.status === "published";
  const dependsOn = isPublished ? "published" : "website";
  if (current !== undefined && !debug && !asked.isVolatile) {
    const cacheControl = answers.cacheControl(read, current, asked.version, isPublished);
    if (answers.sendUnchanged(exchange, listEtag(current, dependsOn), cacheControl)) return;
  }
  if (exchange.isOverLimit) return answers.responder.refuse(exchange, tooManyRequests(caller));
  using turn = await takeTurn(answers, read, asked);
  if (turn === null) return answers.responder.refuse(exchange, tooManyRequests(caller));
  if (turn !== undefined && exchange.req.socket.destroyed) return;
  const databaseStartedAt = performance.now();
  const isPlain = asked.formats === null && asked.optional.length === 0;
  const ready = isPlain && current !== undefined ? answers.readModel.cachedPage(current, query) : undefined;
  const { view, page }: { view: ReturnType<typeof stamp>; page: LoadedPage } =
    ready !== undefined && current !== undefined
      ? { view: stamp(current), page: { ...ready, limit: query.limit } }
      : await answers.read(
          read,
          async (snapshot) => ({ page: await loadPage(snapshot, asked), view: stamp(snapshot.view) }),
          { isInParts: turn !== undefined },
        );
  const databaseMs = performance.now() - databaseStartedAt;
  // The commit did not change this website's articles.
  const images = asked.optional.includes("featured_image") ? page.additions?.map((one) => one["featured_image"]) : null;
  const facts = page.rewriting === undefined ? [] : rewritingFacts(page.rewriting);
  const etag = withFacts(listEtag(view, dependsOn), ...facts, images ? JSON.stringify(images) : null);
  const cacheControl = answers.cacheControl(read, view, asked.version, isPublished);
  if (!debug && answers.sendNotModified(exchange, etag, cacheControl)) return;
  const { limit } = page;
  if (limit < query.limit) {
    warnings.push(describeShortPage(limit, query));
  }
  const rows = isPlain && fields === null ? page.rows : await presentRows(page, asked);
  const shown = { rows, total: page.total, limit, offset: query.offset };
  if (debug) {
    return answers.sendDebug(read, presentList(shown), {
      query: {
        status: query.status,
        limit,
        offset: query.offset,
        sort: `${query.sort.descending ? "-" : ""}${query.sort.field}`,
      },
      databaseMs,
      cache: ready === undefined ? "miss" : "hit",
      version: view.version,
      warnings,
    });
  }
  // Pages with contents would evict what is in demand, and are usually read only once.
  const isCached =
    asked.formats === null &&
    !asked.isVolatile &&
    answers.wasRequestedBefore(read, isPublished ? view.publishedVersion : view.version);
  const body = presentList(shown, isCached ? undefined : answers.allocate);
  const links = pageLinks(
    { offset: query.offset, limit: query.limit, count: rows.length, total: page.total },
    (offset) => `${ARTICLES}?${asked.pageSearch(offset)}`,
  );
  const headers = [...links, ...warningHeaders(warnings), ...answers.tagHeaders(read, null)];
  const answer = newAnswer("list", etag, body, { view, dependsOn, cacheControl, headers });
  if (isCached) answers.cache(read, answer);
  else answers.releaseAfter(exchange, body);
  answers.send(exchange, answer);
}

export function describeShortPage(limit: number, { offset }: Pick<ListQuery, "offset">): string {
  return `This page ends after ${limit} articles, with 4 MB of content; go on at offset=${offset + limit}`;
}

interface LoadedPage extends SnapshotPage {
  limit: number;
  /** Requested fields beyond the list form, for each row. */
  additions?: Record<string, unknown>[];
  /** Of the contents; absent: there are none. */
  rewriting?: Rewriting;
}

interface StoredPage extends LoadedPage {
  /** The database's number of each row. */
  rowNos: Uint32Array;
}

export async function loadPage(
  snapshot: SnapshotReader,
  asked: Pick<ListParameters, "query" | "formats" | "optional" | "isAbsolute" | "hasResponsiveImages" | "warnings">,
): Promise<StoredPage> {
  const { query, optional } = asked;
  const { rows, rowNos, total } = await snapshot.page(query);
  if (asked.formats === null && optional.length === 0) return { rows, rowNos, total, limit: query.limit };
  const formats = neededFormats(asked);
  const all = Array.from(rowNos);
  const sizes = formats === null ? null : await contentSizes(snapshot.db, all, formats);
  const count = sizes === null ? all.length : countFitting(all.map((rowNo) => sizes.get(rowNo) ?? 0));
  const shown = all.slice(0, count);
  const fields = await loadOptionalFields(snapshot.db, shown, optional);
  const contents = sizes === null ? undefined : await loadInSlices(snapshot.db, shown, sizes, formats ?? []);
  return {
    rows: rows.slice(0, count),
    rowNos: rowNos.subarray(0, count),
    total,
    limit: count < all.length ? count : query.limit,
    rewriting: await prepareRewriting(
      snapshot,
      asked,
      shown.map((rowNo) => contents?.get(rowNo)?.["content"]),
    ),
    additions: shown.map((rowNo) => Object.assign(fields.get(rowNo) ?? {}, contents?.get(rowNo))),
  };
}

/**
 * Waits for the turn of a page with contents; undefined if it has none. Null: the key owes for earlier pages. A reader
 * who has left meanwhile gets none, as others wait for theirs.
 */
export async function takeTurn(
  answers: SnapshotAnswers,
  { caller }: Read,
  asked: ListParameters,
): Promise<Disposable | null | undefined> {
  if (neededFormats(asked) === null) return undefined;
  const turn = await answers.contentTurns.enter(caller.key.websiteId);
  if (!answers.isOwing(caller)) return turn;
  turn[Symbol.dispose]();
  return null;
}

async function loadInSlices(
  db: Snapshot,
  rowNos: readonly number[],
  sizes: ReadonlyMap<number, number>,
  formats: readonly ContentFormat[],
): Promise<Map<number, ResponseFields>> {
  const loaded: [number, ResponseFields][] = [];
  let bytes = 0;
  let from = 0;
  for (const [index, rowNo] of rowNos.entries()) {
    bytes += sizes.get(rowNo) ?? 0;
    if (bytes < SLICE_BYTES && index < rowNos.length - 1) continue;
    loaded.push(...(await loadContents(db, rowNos.slice(from, index + 1), formats)));
    [bytes, from] = [0, index + 1];
    await new Promise(setImmediate);
  }
  return new Map(loaded);
}

/** The contents to read; null for none. The table of contents is made from the HTML. */
function neededFormats({ formats, optional }: Pick<ListParameters, "formats" | "optional">) {
  if (!optional.includes("toc")) return formats;
  return CONTENT_FORMATS.filter((format) => format === "html" || formats?.includes(format));
}

/** How many items, from the first, fit into PAGE_CONTENT_BYTES together; at least one. */
function countFitting(sizes: readonly number[]): number {
  let bytes = 0;
  const end = sizes.findIndex((size) => (bytes += size) > PAGE_CONTENT_BYTES);
  return end < 0 ? sizes.length : Math.max(1, end);
}

export async function presentRows(
  { rows, additions, rewriting }: LoadedPage,
  { fields, formats, optional }: ListParameters,
): Promise<Buffer[]> {
  const presented: Buffer[] = [];
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    const loaded = additions?.[index] ?? {};
    const added = await withToc(loaded, loaded["content"], optional);
    if (formats?.includes("html") !== true) delete added["content"];
    const made = withFields(
      row,
      fields,
      rewriting === undefined ? added : await withRewriting(added, "content", rewriting),
    );
    presented.push(made);
    bytes += made.length;
    if (bytes < SLICE_BYTES) continue;
    bytes = 0;
    await new Promise(setImmediate);
  }
  return presented;
}
