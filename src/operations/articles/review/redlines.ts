/** What changed since the reviewer's last review, an approval, a request for changes, or any revision. */
import type { Redline } from "../../../domain/articles/content/redline/redline.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { type RevisionContent, toRevisionContent, wasApproved } from "../../../domain/articles/revision.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { findDraftCopy } from "../../../store/articles/draft-copies.ts";
import {
  findLastApproved,
  findNewest,
  findRevision,
  findRevisionAt,
  type StoredRevision,
} from "../../../store/articles/revisions.ts";
import { findLastEntryOf, type Person } from "../../../store/system/audit.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";
import type { Deps } from "../../system/deps.ts";
import { loadArticle } from "../write/article-persistence.ts";
import { type HeldSide, readHeldChanges } from "./held-changes.ts";
import { asPublished, loadReviewed } from "./article-review.ts";
import { contentAt } from "./revisions.ts";
import { findRequest } from "./request-items.ts";

/** The versions that a reviewer can compare with, most useful first. */
type RedlineBase = "review" | "request" | "approved" | "live";

/** Decisions about a text. Viewing it does not count, because it does not say how much was read. */
const REVIEWS = ["article.approved", "article.changes_requested"] as const;

interface ListedBase {
  base: RedlineBase;
  /** The revision; null for the published text. */
  revision: string | null;
  at: Millis;
  person: Person;
}

/** The earlier texts that differ from the one under review. @throws AppError `not_found`. */
export function listRedlineBases(deps: Pick<Deps, "store">, id: string, personId: string): Promise<ListedBase[]> {
  return deps.store.read(async (db) => {
    const full = await loadArticle(db, id);
    const { rowNo } = full.article;
    const newest = await findNewest(db, rowNo);
    const draft = await findDraftCopy(db, rowNo);
    if (newest === undefined && draft === undefined) return [];
    const bases: ListedBase[] = [];
    const isOther = ({ kept }: StoredRevision) => kept !== null || draft !== undefined;
    const review = await findLastEntryOf(db, id, REVIEWS, personId);
    const reviewed = review && (await findRevisionAt(db, rowNo, review.at));
    if (review !== undefined && reviewed !== undefined && isOther(reviewed)) {
      bases.push({ base: "review", revision: reviewed.id, at: review.at, person: review.person });
    }
    const request = await findRequest(db, full.article);
    const requested = request && (await findRevisionAt(db, rowNo, request.at));
    if (request !== undefined && requested !== undefined && isOther(requested) && request.id !== review?.id) {
      bases.push({ base: "request", revision: requested.id, at: request.at, person: request.person });
    }
    const approved = wasApproved(full, newest?.at ?? null) ? undefined : await findLastApproved(db, rowNo);
    if (approved !== undefined)
      bases.push({ base: "approved", revision: approved.id, at: approved.at, person: approved.person });
    if (draft !== undefined && full.article.status === "published") {
      const by = newest ?? { at: full.article.publishedAt ?? full.article.createdAt, person: draft.person };
      bases.push({ base: "live", revision: null, at: by.at, person: by.person });
    }
    return bases;
  });
}

/** `live`, `draft`: without, with its draft copy; `held-…`: with held changes applied; else a revision, by id. */
type RedlineSide = "current" | "live" | "draft" | "approved" | HeldSide | (string & {});

interface ArticleRedline extends Redline {
  /** Changed fields that are not shown in the text. */
  fields: (keyof RevisionContent)[];
}

const NOT_IN_TEXT = [
  "slug",
  "authorExcerpt",
  "authors",
  "metaTitle",
  "metaDescription",
  "targetKeyword",
  "seoKeywords",
  "categories",
  "tags",
  "canonicalUrl",
  "aliases",
  "language",
  "translationGroup",
] as const satisfies readonly (keyof RevisionContent)[];

/** Maximum characters of both texts together; comparing more would occupy the content processes for too long. */
const MAX_CHARACTERS = 4_000_000;

/** @throws AppError `not_found`; `too_expensive` and `busy`, after which the sources can still be compared. */
export async function redlineArticle(
  deps: Pick<Deps, "store" | "deriveContent" | "compare" | "clock">,
  id: string,
  { from, to }: { from: RedlineSide; to: RedlineSide },
): Promise<ArticleRedline> {
  const { reviewed, sides, held } = await deps.store.read(async (db) => {
    const found = await loadReviewed(db, id);
    return {
      reviewed: found,
      sides: [await findSide(db, found.full, from), await findSide(db, found.full, to)] as const,
      held: await readHeldChanges(db, found.full.article.rowNo),
    };
  });
  const compose = async (side: RedlineSide) => {
    const changes = held.find((one) => one.side === side)?.changes;
    if (side !== "draft" && changes === undefined) throw noSuchVersion();
    return toRevisionContent(await asPublished(deps, reviewed, changes));
  };
  const before = sides[0] ?? (await compose(from));
  const after = sides[1] ?? (await compose(to));
  if (before.html.length + after.html.length > MAX_CHARACTERS) {
    throw new AppError("too_expensive", "These texts are too long to be compared in the article.");
  }
  const redline = await deps.compare(reviewed.website.id, toInput(before), toInput(after));
  const fields = NOT_IN_TEXT.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return { ...redline, fields };
}

/** Undefined for the draft copy and held changes, which have to be composed. */
async function findSide(db: Snapshot, full: StoredFull, side: RedlineSide): Promise<RevisionContent | undefined> {
  const { rowNo } = full.article;
  switch (side) {
    case "draft":
      return undefined;
    case "current":
    case "live":
      return toRevisionContent(full);
    case "approved":
      return requireContent(db, full, await findLastApproved(db, rowNo));
    default:
      if (/^held-\d+$/.test(side)) return undefined;
      return requireContent(db, full, await findRevision(db, rowNo, side));
  }
}

function requireContent(
  db: Snapshot,
  full: StoredFull,
  revision: StoredRevision | undefined,
): Promise<RevisionContent> {
  if (revision !== undefined) return contentAt(db, full, revision);
  throw noSuchVersion();
}

function noSuchVersion(): AppError {
  return new AppError("not_found", "This article has no such version, or it has been deleted.");
}

function toInput({ title, html, featuredImageUrl, featuredImageAlt }: RevisionContent) {
  return { title, html, imageUrl: featuredImageUrl, imageAlt: featuredImageAlt };
}
