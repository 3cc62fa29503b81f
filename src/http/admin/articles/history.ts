import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import { listHistory } from "../../../operations/articles/review/history.ts";
import {
  compareArticle,
  getRevision,
  restoreRevision,
  type Revision as Found,
  type ShownContent,
} from "../../../operations/articles/review/revisions.ts";
import { listRedlineBases, redlineArticle } from "../../../operations/articles/review/redlines.ts";
import { can, roleOn } from "../../../domain/people/permissions.ts";
import { findArticleDeliveries } from "../../../operations/articles/lists/article-deliveries.ts";
import {
  articleDeliveries,
  comparison,
  history,
  historyParameters,
  redline,
  redlineBases,
  redlineParameters,
  type Revision,
  revision,
  type RevisionContent,
  revisionInput,
  revisionParams,
} from "../contract/review.ts";
import { idParams } from "../contract/session.ts";
import { readCursor, writeCursor } from "../parameters.ts";
import { draftSeen, presentPerson } from "./article-presenters.ts";
import { getActor, getSignedIn, getWebsiteId, type Admin, type AdminServer } from "../routes.ts";

const ENTRIES = 50;

export function historyRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const config = { access: { may: "articles.read", on: "article" } } as const;

  app.get(
    "/articles/:id/history",
    { config, schema: { params: idParams, querystring: historyParameters, response: { 200: history } } },
    async (request) => {
      const { id } = request.params;
      const page = { after: readCursor(request.query.cursor), limit: ENTRIES };
      const { entries, next } = await listHistory(deps, id, page);
      return {
        entries: entries.map((entry) => ({
          id: entry.id,
          at: isoTime(entry.at),
          by: presentPerson(entry.person),
          action: entry.action,
          detail: entry.detail,
          revision: entry.revision,
        })),
        next_cursor: writeCursor(next),
      };
    },
  );

  app.get(
    "/articles/:id/comparison",
    { config, schema: { params: idParams, response: { 200: comparison } } },
    async (request) => {
      const { id } = request.params;
      const { current, approved, live, draft, held } = await compareArticle(deps, id);
      return {
        current: presentContent(current),
        approved: approved && present(approved),
        live: live && present(live),
        draft: draft && presentContent(draft),
        held: held.map(({ source, side, content }) => ({ source, side, content: presentContent(content) })),
      };
    },
  );

  app.get(
    "/articles/:id/deliveries",
    { config, schema: { params: idParams, response: { 200: articleDeliveries } } },
    async (request) => {
      const found = await findArticleDeliveries(deps, request.params.id);
      const { memberships } = getSignedIn(request);
      const isManager = can(roleOn(memberships, getWebsiteId(request)), "webhooks.manage");
      return {
        webhooks: (found?.deliveries ?? []).map((one) => ({
          id: isManager ? one.endpointId : null,
          host: isManager ? (URL.parse(one.url)?.host ?? null) : null,
          state: one.state,
          attempts: one.attempts,
          finished_at: isoTimeOrNull(one.finishedAt),
          next_attempt_at: isoTimeOrNull(one.nextAttemptAt),
        })),
      };
    },
  );

  app.get(
    "/articles/:id/redline-bases",
    { config, schema: { params: idParams, response: { 200: redlineBases } } },
    async (request) => {
      const bases = await listRedlineBases(deps, request.params.id, getSignedIn(request).id);
      return {
        bases: bases.map(({ base, revision, at, person }) => ({
          base,
          revision,
          at: isoTime(at),
          by: presentPerson(person),
        })),
      };
    },
  );

  app.get(
    "/articles/:id/redline",
    { config, schema: { params: idParams, querystring: redlineParameters, response: { 200: redline } } },
    async (request) => {
      const { html, insertedWords, deletedWords, unseenChanges, fields, ...found } = await redlineArticle(
        deps,
        request.params.id,
        request.query,
      );
      return {
        ...found,
        content: html,
        inserted_words: insertedWords,
        deleted_words: deletedWords,
        unseen_changes: unseenChanges,
        fields: fields.map((name) => FIELD_NAMES[name] ?? name),
      };
    },
  );

  app.get(
    "/articles/:id/revisions/:revision",
    { config, schema: { params: revisionParams, response: { 200: revision } } },
    async (request) => {
      const { id, revision } = request.params;
      return present(await getRevision(deps, id, revision));
    },
  );

  app.post(
    "/articles/:id/revisions/:revision/restore",
    {
      config: { access: { may: "articles.edit", on: "article" } },
      schema: { params: revisionParams, body: revisionInput, response: { 200: admin.form.schema } },
    },
    async (request) => {
      const { id, revision } = request.params;
      const { version, draft_saved_at: draft, accept_loss: acceptLoss } = request.body;
      const actor = getActor(admin, request);
      const seen = { version, draftSavedAt: draftSeen(draft) };
      const saved = await restoreRevision(deps, id, revision, actor, seen, { acceptLoss });
      return admin.form.show(admin, request, id, saved);
    },
  );
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  authorExcerpt: "author_excerpt",
  metaTitle: "meta_title",
  metaDescription: "meta_description",
  targetKeyword: "target_keyword",
  seoKeywords: "seo_keywords",
  canonicalUrl: "canonical_url",
  translationGroup: "translation_group",
};

function present({ id, at, person, content }: Found): Revision {
  return { id, at: isoTime(at), by: presentPerson(person), content: presentContent(content) };
}

function presentContent(content: ShownContent): RevisionContent {
  return {
    title: content.title,
    slug: content.slug,
    author_excerpt: content.authorExcerpt,
    source: content.source,
    content: content.html,
    markdown: content.markdown,
    authors: content.authors,
    meta_title: content.metaTitle,
    meta_description: content.metaDescription,
    target_keyword: content.targetKeyword,
    seo_keywords: content.seoKeywords,
    categories: content.categories,
    tags: content.tags,
    featured_image_url: content.featuredImageUrl,
    featured_image_alt: content.featuredImageAlt,
    canonical_url: content.canonicalUrl,
    aliases: content.aliases,
    language: content.language,
    translation_group: content.translationGroup,
  };
}
