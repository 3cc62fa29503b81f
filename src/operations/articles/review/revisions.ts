import { BLANK_SOURCE } from "../../../domain/articles/content/content-source.ts";
import { type ArticleInput, type FullArticle, writtenMarkdown } from "../../../domain/articles/article.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { AppError } from "../../../domain/system/errors.ts";
import {
  toRevisionContent,
  restoringInput,
  type RevisionContent,
  wasApproved,
} from "../../../domain/articles/revision.ts";
import { findPerson, type Person } from "../../../store/system/audit.ts";
import {
  findLastApproved,
  findNewest,
  findRevision,
  findText,
  type StoredRevision,
} from "../../../store/articles/revisions.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";
import type { LossOptions } from "../write/edit-article.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { makeEdit } from "../write/article-changes.ts";
import { findFirstMark } from "../write/save-revision.ts";
import { asPublished, loadReviewed } from "./article-review.ts";
import { type HeldSide, readHeldChanges } from "./held-changes.ts";
import { loadArticle } from "../write/article-persistence.ts";
import type { ExpectedVersion, SeenDraft } from "../write/optimistic-lock.ts";

/** Always has Markdown: for content written in HTML it is derived. */
export interface ShownContent extends RevisionContent {
  source: "html" | "markdown";
  markdown: string;
}

interface RevisionRef {
  id: string;
  at: Millis;
  person: Person;
}

export interface Revision extends RevisionRef {
  content: ShownContent;
}

type RevisionDeps = Pick<Deps, "store" | "deriveContent" | "clock">;

/** @throws AppError `not_found`. */
export async function getRevision(deps: RevisionDeps, articleId: string, revisionId: string): Promise<Revision> {
  const { mark, content, websiteId } = await findContent(deps, articleId, revisionId);
  return { ...mark, content: await shown(deps, websiteId, content) };
}

export interface Comparison {
  current: ShownContent;
  /** The revision approved last; null if there is none, or if it is the current content. */
  approved: Revision | null;
  /** What readers see; null if no draft copy is waiting. */
  live: Revision | null;
  /** The draft copy as it would be live. */
  draft: ShownContent | null;
  /** The article as it would be with the changes of a source applied, by source. */
  held: { source: string; side: HeldSide; content: ShownContent }[];
}

/** @throws AppError `not_found`. */
export async function compareArticle(deps: RevisionDeps, id: string): Promise<Comparison> {
  const { full, draft, website, approved, newest, held } = await deps.store.read(async (db) => {
    const found = await loadReviewed(db, id);
    const { rowNo } = found.full.article;
    const newest = await findNewest(db, rowNo);
    const last = wasApproved(found.full, newest?.at ?? null) ? undefined : await findLastApproved(db, rowNo);
    return {
      ...found,
      newest: newest === undefined ? await findFirst(db, found.full) : toRevisionRef(newest),
      approved: last && { ...toRevisionRef(last), content: await contentAt(db, found.full, last) },
      held: await readHeldChanges(db, rowNo),
    };
  });
  const compose = async (changes?: ArticleInput) =>
    shownFull(await asPublished(deps, { full, website, draft }, changes));
  const current = shownFull(full);
  const isLive = draft !== undefined && full.article.status === "published";
  return {
    current,
    approved: approved === undefined ? null : { ...approved, content: await shown(deps, website.id, approved.content) },
    live: isLive ? { ...newest, content: current } : null,
    draft: draft === undefined ? null : await compose(),
    held: await Promise.all(
      held.map(async ({ source, side, changes }) => ({ source, side, content: await compose(changes) })),
    ),
  };
}

/**
 * Restores it by an edit, of the draft copy if published. @returns the article without that. @throws AppError
 * `not_found`; `conflict` if others changed it; `invalid`, field `accept_loss`, if this version's sanitiser would
 * remove text.
 */
export async function restoreRevision(
  deps: RevisionDeps & Pick<Deps, "newId">,
  articleId: string,
  revisionId: string,
  actor: Actor,
  seen: ExpectedVersion & SeenDraft,
  { acceptLoss }: LossOptions = {},
): Promise<FullArticle> {
  const { content } = await findContent(deps, articleId, revisionId);
  const facts = { restored: revisionId };
  const edit = { changes: restoringInput(content), seen, asDraft: true, acceptLoss, facts };
  return makeEdit(deps, articleId, edit, actor);
}

function findContent(deps: Pick<Deps, "store">, articleId: string, revisionId: string) {
  return deps.store.read(async (db) => {
    const full = await loadArticle(db, articleId);
    const found = await findRevision(db, full.article.rowNo, revisionId);
    if (found === undefined) {
      throw new AppError("not_found", "This article has no such revision, or it has been deleted.");
    }
    return { mark: toRevisionRef(found), content: await contentAt(db, full, found), websiteId: full.article.websiteId };
  });
}

export async function contentAt(db: Snapshot, full: StoredFull, { kept }: StoredRevision): Promise<RevisionContent> {
  const current = toRevisionContent(full);
  if (kept === null) return current;
  const text = await findText(db, full.article.rowNo, kept.textHash);
  return { ...current, ...kept.fields, ...text };
}

async function findFirst(db: Snapshot, full: StoredFull): Promise<RevisionRef> {
  const { id, at, actor } = await findFirstMark(db, full);
  return { id, at, person: await findPerson(db, actor) };
}

function toRevisionRef({ id, at, person }: StoredRevision): RevisionRef {
  return { id, at, person };
}

function shownFull(full: FullArticle): ShownContent {
  return {
    ...toRevisionContent(full),
    source: full.body.source,
    markdown: writtenMarkdown(full.body) ?? full.body.markdown,
  };
}

async function shown(
  deps: Pick<Deps, "deriveContent" | "clock">,
  websiteId: string,
  content: RevisionContent,
): Promise<ShownContent> {
  const { markdown, authorExcerpt: excerpt, ...others } = content;
  if (markdown !== null) return { ...content, source: "markdown", markdown };
  const source = { ...BLANK_SOURCE, ...others, excerpt };
  const prepared = await deps.deriveContent(websiteId, source, deps.clock());
  return { ...content, source: "html", markdown: prepared.markdown };
}
