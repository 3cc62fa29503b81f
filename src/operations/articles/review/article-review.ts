import { listGroup } from "../../../store/articles/translations.ts";
import { getState, listVerbs, type Verb } from "../../../domain/articles/verbs.ts";
import type { Role } from "../../../domain/people/permissions.ts";
import { normaliseEmail } from "../../../domain/people/account.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { ArticleInput, FullArticle } from "../../../domain/articles/article.ts";
import { mergeChanges } from "../../../domain/articles/composition.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findArticleAnywhere } from "../../../store/articles/articles.ts";
import { countOpenThreads } from "../../../store/articles/comments.ts";
import { type DraftCopy, findDraftCopy } from "../../../store/articles/draft-copies.ts";
import { findRechecked } from "../../../store/articles/quality/findings.ts";
import { findAccountByEmail } from "../../../store/people/accounts.ts";
import { listEditors } from "../../../store/people/memberships.ts";
import { findPerson, type Person, type TargetEntry } from "../../../store/system/audit.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { type Gate, loadGate } from "../write/integrity-gate.ts";
import { needsOther } from "../write/second-person.ts";
import { loadArticle } from "../write/article-persistence.ts";
import { findPublicationRequest } from "../write/publication-requests.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import { composeDraft } from "../write/edit-article.ts";
import { type Alike, listAlike } from "./alike.ts";
import { findRemovalRequest } from "./removal-requests.ts";
import { findRequest, loadRequestItems, type RequestItem } from "./request-items.ts";

export interface Reviewed {
  full: StoredFull;
  /** Metrics by a later engine than those delivered, as JSON. */
  recheckedJson: string | undefined;
  draft: DraftCopy | undefined;
  website: Website;
  author: Person | null;
  assignee: Person | null;
  openComments: number;
  /** The changes that were requested last; null if that is settled, or nobody requested any. */
  request: (TargetEntry & { items: RequestItem[] }) | null;
  /** A machine's request to delete it; null if none is open. */
  removal: TargetEntry | null;
  /** A machine's request to publish it; null if none is open. */
  publication: TargetEntry | null;
}

/** Who sees an article: a person or an access token. */
export interface Reviewer extends Pick<Actor, "id" | "isMachine"> {
  role: Role | null;
}

/** In any state, also in the trash. @param saved the article as just read or saved. @throws AppError `not_found`. */
export async function loadReviewed(db: Snapshot, id: string, saved?: FullArticle): Promise<Reviewed> {
  const full = (saved && (await loadWithText(db, id, saved))) ?? (await loadArticle(db, id));
  const { rowNo, websiteId, authorId, assigneeId } = full.article;
  const request = await findRequest(db, full.article);
  return {
    full,
    recheckedJson: await findRechecked(db, rowNo),
    draft: await findDraftCopy(db, rowNo),
    website: await loadWebsite(db, websiteId),
    author: authorId === null ? null : await findPerson(db, authorId),
    assignee: assigneeId === null ? null : await findPerson(db, assigneeId),
    openComments: await countOpenThreads(db, rowNo),
    request: request === undefined ? null : { ...request, items: await loadRequestItems(db, request) },
    removal: await findRemovalRequest(db, id),
    publication: await findPublicationRequest(db, full.article),
  };
}

/** Undefined if it is no longer that version. */
async function loadWithText(db: Snapshot, id: string, { article: { version }, body }: FullArticle) {
  const article = await findArticleAnywhere(db, id);
  return article?.version === version ? { article, body } : undefined;
}

/** The article as one person sees it, with what they can do, and its near duplicates. @param saved as above. @throws AppError `not_found`. */
export function getReviewedBy(
  deps: Pick<Deps, "store">,
  id: string,
  person: Reviewer,
  saved?: FullArticle,
): Promise<Reviewed & { verbs: Verb[]; alike: Alike[]; gate: Gate }> {
  return deps.store.read(async (db) => {
    const reviewed = await loadReviewed(db, id, saved);
    const { full, website } = reviewed;
    const may = {
      role: person.role,
      isOwn: full.article.authorId === person.id,
      needsOther: await needsOther(db, website, full, person),
    };
    const alike = await listAlike(db, website, full);
    const gate = await loadGate(db, website, full, alike);
    return { ...reviewed, verbs: listVerbs(getState(full.article), may), alike, gate };
  });
}

/** The other articles of its translation group. @throws AppError `not_found`. */
export function listTranslations(deps: Pick<Deps, "store">, id: string): ReturnType<typeof listGroup> {
  return deps.store.read(async (db) => {
    const { article } = await loadArticle(db, id);
    return article.translationGroup === null ? [] : listGroup(db, article);
  });
}

export function listAssignees(deps: Pick<Deps, "store">, websiteId: string): Promise<{ id: string; name: string }[]> {
  return deps.store.read((db) => listEditors(db, websiteId));
}

export async function findAssignee(deps: Pick<Deps, "store">, email: string): Promise<string> {
  const account = await deps.store.read((db) => findAccountByEmail(db, normaliseEmail(email)));
  if (account === undefined) throw new AppError("not_found", `There is no account with the e-mail address ${email}.`);
  return account.id;
}

/** The article as if its draft copy were live. */
export async function asPublished(
  deps: Pick<Deps, "deriveContent" | "clock">,
  { full, website, draft }: Pick<Reviewed, "full" | "website" | "draft">,
  changes: ArticleInput = {},
): Promise<FullArticle> {
  return composeDraft(deps, website, full, mergeChanges(draft?.changes, changes));
}
