/** Presents an article as every route of the management API does. */
import { type FullArticle, writtenMarkdown } from "../../domain/articles/article.ts";
import { detailAdditions, editorialAdditions, toListForm } from "../../domain/articles/api-format.ts";
import type { TextLoss } from "../../domain/articles/text-loss.ts";
import { isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { getState } from "../../domain/articles/verbs.ts";
import { roleOn } from "../../domain/people/permissions.ts";
import { toExternalId } from "../../domain/articles/origin.ts";
import { getReviewedBy } from "../../operations/articles/review/article-review.ts";
import { type ArticleSnippet, findExternalSource } from "../../store/articles/state-lists.ts";
import type { TargetEntry } from "../../store/system/audit.ts";
import { presentAsked, presentChanges, presentPerson } from "../admin/articles/article-presenters.ts";
import { type Admin, type ArticleForm, getSignedIn, getWebsiteId } from "../admin/routes.ts";
import { articleAnswer, type ArticleAnswer, type ArticleListAnswer, MANAGED_VERBS } from "./contract.ts";
import { formatEtag } from "./etag.ts";
import type { FastifyRequest } from "fastify";

/** What was lost of a request's text. */
export interface Losses {
  removed: string[];
  loss: TextLoss | null;
}

export const managedForm: ArticleForm = { schema: articleAnswer, show: presentArticle };

/** `saved`: as the request has just saved it, so that its text is not read again. */
export async function presentArticle(
  { deps }: Admin,
  request: FastifyRequest,
  id: string,
  saved?: FullArticle,
  { removed, loss }: Losses = { removed: [], loss: null },
): Promise<ArticleAnswer> {
  const { id: actor, memberships } = getSignedIn(request);
  const role = roleOn(memberships, getWebsiteId(request));
  const reviewed = await getReviewedBy(deps, id, { id: actor, role, isMachine: true }, saved);
  const source = await deps.store.read((db) => findExternalSource(db, reviewed.full.article.rowNo));
  const { full, draft, request: changes, removal, publication, verbs } = reviewed;
  const { article, body } = full;
  return {
    article: {
      ...toListForm(article),
      ...detailAdditions(article, body),
      state: getState(article),
      source: body.source,
      markdown: writtenMarkdown(body) ?? body.markdown,
      ...editorialAdditions(article),
      updated_at: isoTime(article.updatedAt),
      publish_at: isoTimeOrNull(article.publishAt),
      deleted_at: isoTimeOrNull(article.deletedAt),
      external_id: toExternalId(source),
      etag: formatEtag({ version: article.version, draftSavedAt: draft?.savedAt ?? null }),
      allowed: MANAGED_VERBS.filter((verb) => verbs.includes(verb)),
      request: changes && { ...presentEntry(changes), comments: Number(changes.detail["comments"] ?? 0) },
      removal_request: removal && presentEntry(removal),
      publication_request: publication && presentAsked(publication),
      draft: draft
        ? {
            changes: presentChanges(draft.changes),
            by: presentPerson(draft.person),
            saved_at: isoTime(draft.savedAt),
          }
        : null,
      removed,
      loss,
    },
  };
}

function presentEntry({ detail, person, at }: TargetEntry) {
  return { reason: String(detail["reason"] ?? ""), ...presentAsked({ person, at }) };
}

export function presentSnippet(one: ArticleSnippet): ArticleListAnswer["articles"][number] {
  return {
    ...one.listForm,
    state: getState(one),
    language: one.language,
    updated_at: isoTime(one.updatedAt),
    publish_at: isoTimeOrNull(one.publishAt),
    deleted_at: isoTimeOrNull(one.deletedAt),
    external_id: toExternalId(one.source),
    etag: formatEtag(one),
  };
}
