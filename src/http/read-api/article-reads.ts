/** One article, by its id or its slug, and its previews (docs/specification.md, 4.2 and 4.5). */
import type { ArticleStatus } from "../../domain/articles/article.ts";
import { CONTENT_FIELDS, type ContentFormat } from "../../domain/articles/api-format.ts";
import type { KeyScope } from "../../domain/people/api-key.ts";
import type { Millis } from "../../domain/system/time.ts";
import { withoutTrailing } from "../../domain/system/trailing.ts";
import { findNeighbours, type Neighbours } from "../../operations/articles/lists/neighbours.ts";
import type { Detail, SnapshotReader } from "../../operations/articles/read-model/read-model.ts";
import type { Previewed } from "../../operations/articles/review/site-preview.ts";
import { listBySlug } from "../../store/articles/article-queries.ts";
import { earlierSlugs, findGone, findRedirect } from "../../store/articles/redirects.ts";
import type { Snapshot } from "../../store/store.ts";
import { loadTranslations } from "../../store/articles/translations.ts";
import {
  type ResponseFields,
  loadContents,
  loadImageSizes,
  loadOptionalFields,
  toOptionalFields,
} from "../../store/articles/optional-fields.ts";
import { prepareRewriting, type Rewriting, rewritingFacts, withRewriting, withToc } from "./content-fields.ts";
import type { ErrorReply } from "../errors.ts";
import { gone, NO_ARTICLE, NO_SLUG, NOT_APPROVED, NOT_PUBLISHED, PREVIEW_ENDED } from "./error-responses.ts";
import {
  type DetailParameters,
  type ListParameters,
  parseBySlugParameters,
  parseDetailParameters,
  parseId,
  parseListParameters,
  parseParametersOfOne,
  parseSlug,
} from "./parameters.ts";
import type { Read, SnapshotAnswers } from "./snapshot-answers.ts";
import { newAnswer, stamp, type Versions, warningHeaders, withFacts } from "./response-headers.ts";
import { ARTICLES, getLastPart, getSearch } from "./routes.ts";
import { presentDetail, presentList, presentSelected, withFields } from "./serializers.ts";

export async function answerDetail(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const id = parseId(getLastPart(exchange.url));
  const asked = parseDetailParameters(getSearch(exchange.url));
  const { view, detail, additions, rewriting, databaseMs } =
    loadSync(answers, read, asked, id) ?? (await load(answers, read, asked, () => Promise.resolve(id)));
  if (detail === undefined) return answers.responder.refuse(exchange, NO_ARTICLE);
  const refused = refusalFor(detail.status, caller.key.scope);
  if (refused !== null) return answers.responder.refuse(exchange, refused);
  if (asked.debug) {
    const facts = { query: null, databaseMs, cache: "miss" as const, version: view.version, warnings: asked.warnings };
    return answers.sendDebug(read, await present(await rewrite(detail, asked, rewriting), asked, additions), facts);
  }
  const etag = withFacts(
    etagOf(view, asked, String(detail.version)),
    ...rewritingFacts(rewriting),
    imageFact(additions),
  );
  const options = { view, ...getStoringOptions(answers, read, asked, view, detail.status, id) };
  if (asked.isVolatile && answers.sendNotModified(exchange, etag, options.cacheControl)) return;
  // A cached response is dropped on the article's change only if it is cached under the canonical URL.
  const isPlainAddress = exchange.url === `${ARTICLES}/${id}`;
  const wasRequestedBefore = isPlainAddress && caller.partition.answers.get(exchange.url)?.etag === etag;
  const rewritten = await rewrite(detail, asked, rewriting);
  const body = await present(rewritten, asked, additions, wasRequestedBefore ? undefined : answers.allocate);
  const answer = newAnswer("detail", etag, body, { ...options, dependsOn: "article" });
  if (wasRequestedBefore) {
    answers.cache(read, answer);
  } else {
    if (isPlainAddress) answers.cache(read, { ...answer, variants: null });
    answers.releaseAfter(exchange, body);
  }
  if (!answers.sendNotModified(exchange, etag, options.cacheControl)) answers.send(exchange, answer);
}

/** Websites show their visitors what this answers, so it is published, whatever the key's scope. */
export async function answerBySlug(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { exchange } = read;
  const slug = parseSlug(getLastPart(exchange.url));
  const asked = parseBySlugParameters(getSearch(exchange.url));
  let isFormer = false;
  let goneAt: Millis | undefined;
  const { view, id, detail, additions, rewriting, databaseMs } = await load(answers, read, asked, async (snapshot) => {
    const found = await findBySlug(snapshot, slug, asked.language);
    isFormer = found?.isFormer === true;
    goneAt = found === undefined ? await findGoneSlug(snapshot, slug, asked.language) : undefined;
    return found?.id;
  });
  if (detail === undefined) return answers.responder.refuse(exchange, goneAt === undefined ? NO_SLUG : gone(goneAt));
  const refused = refusalFor(detail.status, "published");
  if (refused !== null) return answers.responder.refuse(exchange, refused);
  if (asked.debug) {
    const facts = { query: null, databaseMs, cache: "miss" as const, version: view.version, warnings: asked.warnings };
    const body = await present(await rewrite(detail, asked, rewriting), asked, additions);
    return answers.sendDebug(read, withMove(body, detail, slug, isFormer), facts);
  }
  // Another article may take over the slug, and its version is unrelated to this one's.
  const ownEtag = etagOf(view, asked, `${detail.version}.${detail.row_no}`);
  const etag = withFacts(ownEtag, ...rewritingFacts(rewriting), imageFact(additions));
  const options = { view, ...getStoringOptions(answers, read, asked, view, detail.status, id) };
  if (asked.isVolatile && answers.sendNotModified(exchange, etag, options.cacheControl)) return;
  const isCached = !asked.isVolatile && answers.wasRequestedBefore(read, view.version);
  const rewritten = await rewrite(detail, asked, rewriting);
  const presented = await present(rewritten, asked, additions, isCached ? undefined : answers.allocate);
  const body = withMove(presented, detail, slug, isFormer);
  const answer = newAnswer("slug", etag, body, { ...options, dependsOn: "website" });
  if (isCached) answers.cache(read, answer);
  else answers.releaseAfter(exchange, body);
  if (!answers.sendNotModified(exchange, etag, options.cacheControl)) answers.send(exchange, answer);
}

/** The published article with the slug; else the last published under it; else any, so that the refusal can say why. */
async function findBySlug(
  { db, view: { websiteId } }: SnapshotReader,
  slug: string,
  language: string | undefined,
): Promise<FoundBySlug | undefined> {
  const holders = await listBySlug(db, websiteId, slug, language);
  const published = holders.find(({ status }) => status === "published");
  if (published !== undefined) return { id: published.id, isFormer: false };
  const former = await findFormer(db, websiteId, slug, language);
  const [holder] = holders;
  return former ?? (holder && { id: holder.id, isFormer: false });
}

/** When the article that was published under the slug was deleted; undefined if there is none in the trash. */
export function findGoneSlug(
  { db, view: { websiteId } }: SnapshotReader,
  slug: string,
  language: string | undefined,
): Promise<Millis | undefined> {
  return findGone(db, websiteId, withoutTrailing(slug, "/"), language);
}

export interface FoundBySlug {
  id: string;
  isFormer: boolean;
}

/** The article that was last published under the slug. */
export async function findFormer(
  db: Snapshot,
  websiteId: string,
  slug: string,
  language: string | undefined,
): Promise<FoundBySlug | undefined> {
  // An alias is stored without a slash at its end.
  const id = await findRedirect(db, websiteId, withoutTrailing(slug, "/"), language);
  return id === undefined ? undefined : { id, isFormer: true };
}

/** Adds the current slug to an article that was requested by an earlier one. */
export function withMove(body: Buffer, detail: Pick<Detail, "list_form">, slug: string, isFormer: boolean): Buffer {
  // The list form was made by `toListForm`.
  const form = JSON.parse(detail.list_form) as { slug: string; platform_url: string | null };
  if (form.slug === slug && !isFormer) return body;
  const movedTo = JSON.stringify({ slug: form.slug, platform_url: form.platform_url });
  return Buffer.concat([body.subarray(0, -2), Buffer.from(`,"moved_to":${movedTo}}}`)]);
}

/** The featured image, whose size is known once it is in the website's library. */
function imageFact({ featured_image: image }: ResponseFields): string | null {
  return image === undefined ? null : JSON.stringify(image);
}

/** Whether the response also changes with other published articles. */
function dependsOnOthers({ optional }: DetailParameters): boolean {
  return optional.includes("previous_slugs") || optional.includes("translations") || optional.includes("neighbours");
}

/** `own`: tells the versions of the article. */
function etagOf(view: Versions, asked: DetailParameters, own: string): string {
  const others = dependsOnOthers(asked) ? `.p${view.publishedVersion}` : "";
  return `W/"${view.epoch}${others}.a${own}"`;
}

/** The response's cache headers, and its other headers. */
function getStoringOptions(
  answers: SnapshotAnswers,
  read: Read,
  asked: DetailParameters,
  view: Versions,
  status: ArticleStatus,
  id: string,
) {
  return {
    cacheControl: answers.cacheControl(read, view, asked.version, status === "published"),
    headers: [...warningHeaders(asked.warnings), ...answers.tagHeaders(read, id, dependsOnOthers(asked))],
  };
}

/**
 * A preview token's article in any state (section 4.5): by id, by slug, or in a list filtered by its slug; never
 * cached. @returns false if the request asks for something else, and is answered as without a token.
 */
export async function answerPreview(answers: SnapshotAnswers, read: Read, token: string): Promise<boolean> {
  const { exchange } = read;
  const previewed = await answers.findPreviewed(read, token);
  if (previewed === undefined) {
    answers.responder.refuse(exchange, PREVIEW_ENDED);
    return true;
  }
  const search = getSearch(exchange.url);
  const { route } = exchange;
  const isIn = async (language: string | undefined) =>
    language === undefined || language === (previewed.article.language ?? (await answers.state(read)).language);
  if (route === "detail" || route === "slug") {
    const asked = parseParametersOfOne(route, search);
    const part = getLastPart(exchange.url);
    const isIt = route === "detail" ? parseId(part) === previewed.id : parseSlug(part) === previewed.slug;
    if (!isIt || !(await isIn(asked.language))) return false;
    answers.sendUncacheable(exchange, await presentPreviewed(answers, read, previewed, asked), asked.warnings);
    return true;
  }
  if (route !== "list") return false;
  const asked = parseListParameters(search);
  const { query } = asked;
  if (query.filter.slug !== previewed.slug || !(await isIn(query.filter.language))) return false;
  const rows = query.offset === 0 ? [await presentPreviewedRow(answers, read, previewed, asked)] : [];
  answers.sendUncacheable(exchange, presentList({ rows, total: 1, ...query }), asked.warnings);
  return true;
}

/** The detail of an article that is not stored like this. */
export async function presentPreviewed(
  answers: SnapshotAnswers,
  read: Read,
  previewed: Previewed,
  asked: DetailParameters,
): Promise<Buffer> {
  const { additions, rewriting } = await loadPreviewed(answers, read, previewed, asked);
  return present(await rewrite(previewed.detail, asked, rewriting), asked, additions);
}

/** An article that is not stored like this, as an item of a list. */
export async function presentPreviewedRow(
  answers: SnapshotAnswers,
  read: Read,
  previewed: Previewed,
  asked: ListParameters,
): Promise<Buffer> {
  const { additions: loaded, rewriting } = await loadPreviewed(answers, read, previewed, asked);
  const withContents = await withToc(loaded, previewed.body.html, asked.optional);
  const additions = await withRewriting(withContents, "content", rewriting);
  return withFields(Buffer.from(previewed.detail.list_form), asked.fields, additions);
}

/** Why a key of the scope may not read an article of the status; null if it may. */
export function refusalFor(status: ArticleStatus, scope: KeyScope): ErrorReply | null {
  if (scope === "preview") return null;
  if (status === "pending") return NOT_APPROVED;
  return status === "approved" && scope === "published" ? NOT_PUBLISHED : null;
}

/** One query, if the view is current. The article may be newer than it: not to be sent as a named version. */
function loadSync(answers: SnapshotAnswers, { caller }: Read, asked: DetailParameters, id: string) {
  if (!isPlain(asked) || asked.isVolatile || asked.version !== null) return undefined;
  const startedAt = performance.now();
  const view = answers.readModel.current(caller.key.websiteId);
  if (view === undefined) return undefined;
  const found = answers.readModel.detailSync(view, id);
  if (found === null) return undefined;
  const databaseMs = performance.now() - startedAt;
  const rewriting: Rewriting = { websiteId: view.websiteId, websiteUrl: null, pictures: null };
  return { id, view: stamp(view), detail: found.row, additions: {}, rewriting, databaseMs };
}

async function load(
  answers: SnapshotAnswers,
  read: Read,
  asked: DetailParameters,
  findId: (snapshot: SnapshotReader) => Promise<string | undefined>,
) {
  const startedAt = performance.now();
  const loaded = await answers.read(read, async (snapshot) => {
    const id = await findId(snapshot);
    const detail = id === undefined ? undefined : await snapshot.detail(id);
    return {
      id: id ?? "",
      rewriting: await prepareRewriting(snapshot, asked, hasHtml(asked) ? [detail?.html] : []),
      detail,
      additions: detail === undefined || isPlain(asked) ? {} : await loadAdditions(snapshot, detail.row_no, asked),
      view: stamp(snapshot.view),
    };
  });
  return { ...loaded, databaseMs: performance.now() - startedAt };
}

/** The detail with its HTML rewritten, if that is asked for. */
async function rewrite(detail: Detail, asked: DetailParameters, rewriting: Rewriting): Promise<Detail> {
  return hasHtml(asked) ? withRewriting(detail, "html", rewriting) : detail;
}

function hasHtml({ fields, formats }: DetailParameters): boolean {
  return fields?.includes("content") !== false && formats?.includes("html") !== false;
}

/** Loads the requested fields that the detail form does not have. */
async function loadAdditions(
  snapshot: SnapshotReader,
  rowNo: number,
  asked: DetailParameters,
): Promise<ResponseFields> {
  const { db } = snapshot;
  const formats = otherFormats(asked);
  const [contents, fields, neighbours] = await Promise.all([
    formats.length === 0 ? undefined : loadContents(db, [rowNo], formats),
    loadOptionalFields(db, [rowNo], asked.optional),
    loadNeighbours(snapshot, rowNo, asked),
  ]);
  return { ...contents?.get(rowNo), ...fields.get(rowNo), ...neighbours };
}

async function loadNeighbours(
  snapshot: SnapshotReader,
  rowNo: number,
  { optional, language }: Pick<DetailParameters, "optional"> & { language?: string | undefined },
): Promise<{ neighbours?: Neighbours }> {
  return optional.includes("neighbours") ? { neighbours: await findNeighbours(snapshot, rowNo, language) } : {};
}

/** As `loadAdditions`, for an article that is not stored in this form, with the address for relative URLs. */
function loadPreviewed(
  answers: SnapshotAnswers,
  read: Read,
  { article, body, detail }: Previewed,
  asked: Pick<DetailParameters, "formats" | "optional" | "isAbsolute" | "hasResponsiveImages" | "warnings"> & {
    language?: string | undefined;
  },
): Promise<{ additions: ResponseFields; rewriting: Rewriting }> {
  const formats = asked.formats ?? [];
  const contents = formats.map((format) => [CONTENT_FIELDS[format], body[format]]);
  return answers.read(read, async (snapshot) => {
    const { db } = snapshot;
    const { optional } = asked;
    const others = {
      size: (await loadImageSizes(db, [article])).get(article.featuredImageUrl ?? ""),
      group: optional.includes("translations")
        ? (await loadTranslations(db, [article])).get(article.translationGroup ?? "")
        : undefined,
      previousSlugs: optional.includes("previous_slugs")
        ? (await earlierSlugs(db, [detail.row_no])).get(detail.row_no)
        : undefined,
    };
    return {
      additions: {
        ...Object.fromEntries(contents),
        ...toOptionalFields(article, others, optional),
        ...(await loadNeighbours(snapshot, detail.row_no, asked)),
      },
      rewriting: await prepareRewriting(snapshot, asked, [body.html]),
    };
  });
}

function isPlain({ fields, formats, optional }: DetailParameters): boolean {
  return fields === null && formats === null && optional.length === 0;
}

function otherFormats({ formats }: Pick<DetailParameters, "formats">): ContentFormat[] {
  return formats?.filter((format) => format !== "html") ?? [];
}

async function present(
  detail: Detail,
  asked: DetailParameters,
  additions: ResponseFields,
  allocate?: (bytes: number) => Buffer,
): Promise<Buffer> {
  if (isPlain(asked)) return presentDetail(detail, allocate);
  return presentSelected(detail, asked, await withToc(additions, detail.html, asked.optional), allocate);
}
