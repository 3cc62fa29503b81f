/** Runs in the caller's transaction: article, search words, content version and event become durable together. */
import { isDeepStrictEqual } from "node:util";
import { type Article, type FullArticle, parseMetrics } from "../../../domain/articles/article.ts";
import { ENGINE_VERSION } from "../../../domain/articles/content/limits.ts";
import { listKinds } from "../../../domain/articles/findings.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { searchedText } from "../../../domain/articles/content/measure/search.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { EventCause, NewEvent } from "../../../domain/webhooks/event.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findFullArticleAnywhere, insertArticle, isSlugTaken, saveArticle } from "../../../store/articles/articles.ts";
import {
  findFingerprint,
  insertFingerprint,
  replaceFingerprint,
} from "../../../store/articles/quality/fingerprints.ts";
import { saveAliases, saveEarlierSlug } from "../../../store/articles/redirects.ts";
import { planRemoval } from "../../../store/webhooks/event-contents.ts";
import { listEndpoints } from "../../../store/webhooks/endpoints.ts";
import { insertEvent, nextSequence } from "../../../store/webhooks/events.ts";
import { waitForAll } from "../../../store/system/sql-batch.ts";
import { indexWords } from "../../../store/articles/search.ts";
import { deleteRechecked, insertFindings, replaceFindings } from "../../../store/articles/quality/findings.ts";
import type { Snapshot, StoredFull, Writer } from "../../../store/store.ts";
import type { Deps } from "../../system/deps.ts";
import { fanOut } from "../../webhooks/fan-out.ts";
import {
  findWebsiteOfArticleToChange,
  markPublishedChange,
  raiseContentVersion,
} from "../../../store/system/websites.ts";

/** @throws AppError `not_found`. */
export async function loadArticle(db: Snapshot, id: string): Promise<StoredFull> {
  return assertFound(id, await findFullArticleAnywhere(db, id));
}

function assertFound(id: string, full: StoredFull | undefined): StoredFull {
  if (full === undefined) throw noSuchArticle(id);
  return full;
}

export function noSuchArticle(id: string): AppError {
  return new AppError("not_found", `There is no article with the id ${id}.`);
}

/** Locks its website until the transaction ends. @throws AppError `not_found`. */
export async function loadToChange(db: Writer, id: string): Promise<{ website: Website; full: StoredFull }> {
  // Sent together: the article is read after its website has been locked.
  const [website, full] = await waitForAll([findWebsiteOfArticleToChange(db, id), findFullArticleAnywhere(db, id)]);
  if (website === undefined || full?.article.websiteId !== website.id) throw noSuchArticle(id);
  return { website, full };
}

/**
 * The wanted slug, or with `-2`, `-3`, … if another article has it: the ten-thousandth takes some thirty queries. Where
 * slugs are unique per language, only articles of the same one count.
 */
export async function uniqueSlug(
  db: Snapshot,
  website: Pick<Website, "id" | "language" | "slugsPerLanguage">,
  wanted: string,
  { id, language }: { id: string; language: string | null },
): Promise<string> {
  const languages = website.slugsPerLanguage ? { own: website.language, article: language } : null;
  const isTaken = (number: number) =>
    isSlugTaken(db, website.id, number === 1 ? wanted : `${wanted}-${number}`, id, languages);
  if (!(await isTaken(1))) return wanted;
  let taken = 1;
  let free = 2;
  while (await isTaken(free)) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const middle = (taken + free) >>> 1;
    if (await isTaken(middle)) taken = middle;
    else free = middle;
  }
  return `${wanted}-${free}`;
}

/** Shared by all articles of a transaction, raised at its first use. `isPublished`: readers see the change. */
export type SharedVersion = (isPublished: boolean) => Promise<number>;

export function shareVersion(db: Writer, websiteId: string): SharedVersion {
  let version: Promise<number> | undefined;
  let isUnpublished = false;
  return async (isPublished) => {
    if (version === undefined) {
      isUnpublished = !isPublished;
      version = raiseContentVersion(db, websiteId, isUnpublished);
    } else if (isUnpublished && isPublished) {
      isUnpublished = false;
      await version;
      await markPublishedChange(db, websiteId);
    }
    return version;
  };
}

function isShown({ article }: FullArticle): boolean {
  return article.status === "published" && article.deletedAt === null;
}

/** @param words and `fingerprint`: of DerivedContent. @returns the article as saved, with its version. */
export async function insert(
  db: Writer,
  full: FullArticle,
  {
    words,
    fingerprint,
    version,
    website,
    stateSince,
  }: {
    words: string;
    fingerprint: string | null;
    version?: SharedVersion | undefined;
    website: Pick<Website, "language">;
    stateSince?: Millis | undefined;
  },
  now: Millis,
): Promise<StoredFull> {
  const article = { ...full.article, stateSince: stateSince ?? now };
  const saved = await withVersion(db, { article, body: full.body }, isShown(full), version);
  const rowNo = await insertArticle(db, saved, now, website.language);
  const { websiteId, aliases } = full.article;
  if (aliases.length > 0) await saveAliases(db, { websiteId, rowNo }, aliases);
  await indexWords(db, { websiteId, rowNo }, { words, minhash: fingerprint }, true);
  await insertFindings(db, { websiteId, rowNo }, listKinds(full.body.metricsJson));
  if (fingerprint !== null) await insertFingerprint(db, { rowNo, websiteId }, fingerprint);
  return { article: { ...saved.article, rowNo }, body: saved.body };
}

/** @param changed `words` and `fingerprint`: of DerivedContent, if derived anew. `website`: needed if the title may change. @throws AppError `conflict`. */
export async function save(
  db: Writer,
  before: StoredFull,
  after: FullArticle,
  now: Millis,
  changed: {
    words?: string | undefined;
    fingerprint?: string | null | undefined;
    version?: SharedVersion | undefined;
    website?: Pick<Website, "language">;
  } = {},
): Promise<FullArticle> {
  const { words, fingerprint, version, website } = changed;
  const article = withStateSince(before.article, after.article, now);
  const saved = await withVersion(db, { article, body: after.body }, isShown(before) || isShown(after), version);
  await saveArticle(db, before, { ...saved, savedAt: now }, website?.language);
  const { slug, language, aliases } = before.article;
  if (JSON.stringify(saved.article.aliases) !== JSON.stringify(aliases)) {
    await saveAliases(db, before.article, saved.article.aliases);
  }
  const hasMoved = saved.article.slug !== slug || saved.article.language !== language;
  if (isShown(before) && (!isShown(saved) || hasMoved)) {
    await saveEarlierSlug(db, before.article, saved.article.version);
  }
  if (words !== undefined) await saveWords(db, before, saved, { words, fingerprint });
  await saveFindings(db, before, saved);
  return saved;
}

/** Writes only what has changed. @param fingerprint undefined: it is that of the earlier save. */
async function saveWords(
  db: Writer,
  before: StoredFull,
  saved: FullArticle,
  { words, fingerprint }: { words: string; fingerprint: string | null | undefined },
): Promise<void> {
  const stored = (await findFingerprint(db, before.article.rowNo)) ?? null;
  const minhash = fingerprint === undefined ? stored : fingerprint;
  await replaceFingerprint(db, before.article, stored, minhash);
  if (minhash !== stored || searched(saved) !== searched(before)) {
    await indexWords(db, before.article, { words, minhash }, false);
  }
}

export function withStateSince(before: Article, after: Article, now: Millis): Article {
  const isSame = after.status === before.status && after.reviewState === before.reviewState;
  return { ...after, stateSince: isSame ? before.stateSince : now };
}

/** Records the event, if there is one, with its deliveries. */
export async function append(
  db: Writer,
  deps: Pick<Deps, "newId" | "traceEvent">,
  event: ((cause: EventCause) => NewEvent) | null,
  cause: EventCause,
): Promise<void> {
  if (event === null) return;
  const made = event(cause);
  const appended = { ...made, traceparent: deps.traceEvent?.(made) ?? made.traceparent };
  const { kind, websiteId, articleId } = appended;
  const [sequence, endpoints] = await waitForAll([nextSequence(db, websiteId), listEndpoints(db, websiteId)]);
  await waitForAll([
    insertEvent(db, { ...appended, sequence }),
    fanOut(db, deps, { ...appended, sequence, isContentRemoved: false }, endpoints),
    kind === "article.deleted" ? planRemoval(db, { websiteId, articleId, beforeSequence: sequence }) : undefined,
  ]);
}

async function withVersion(
  db: Writer,
  { article, body }: FullArticle,
  isPublished: boolean,
  version = shareVersion(db, article.websiteId),
): Promise<FullArticle> {
  return { article: { ...article, version: await version(isPublished) }, body };
}

/** Writes nothing if the kinds stay the same. Metrics by a later engine are replaced by those that are now delivered. */
async function saveFindings(db: Writer, before: StoredFull, { body }: FullArticle): Promise<void> {
  const { metricsJson: earlier } = before.body;
  if (body.metricsJson === earlier) return;
  const kinds = listKinds(body.metricsJson);
  if (parseMetrics(earlier).engine_version !== ENGINE_VERSION) await deleteRechecked(db, before.article.rowNo);
  else if (isDeepStrictEqual(kinds, listKinds(earlier))) return;
  await replaceFindings(db, before.article, kinds);
}

function searched({ article, body }: FullArticle): string {
  return searchedText({ ...article, text: body.text });
}
