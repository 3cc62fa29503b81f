/** One article, and the review actions on it. */
import type { FullArticle } from "../../../domain/articles/article.ts";
import type { Action } from "../../../domain/people/permissions.ts";
import {
  approveAndPublishArticle,
  approveArticle,
  deleteArticle,
  publishArticle,
  requestChanges,
  restoreArticle,
  scheduleArticle,
  unpublishArticle,
} from "../../../operations/articles/articles.ts";
import type { Actor, Deps } from "../../../operations/system/deps.ts";
import type { ExpectedVersion } from "../../../operations/articles/optimistic-lock.ts";
import { reasonInput, reviewedArticle, scheduleInput, versionInput } from "../contract/review.ts";
import { idParams } from "../contract/session.ts";
import { showArticle, parseTimeParam } from "./article-presenters.ts";
import { getActor, type Admin, type AdminServer } from "../routes.ts";

type Decision = (deps: Deps, id: string, actor: Actor, expect: ExpectedVersion) => Promise<FullArticle>;

/** Decisions that need nothing but the version that the reviewer saw. */
const DECISIONS: Record<string, { may: Action; decide: Decision }> = {
  approve: { may: "articles.approve", decide: approveArticle },
  publish: { may: "articles.publish", decide: publishArticle },
  "approve-and-publish": { may: "articles.publish", decide: approveAndPublishArticle },
  unpublish: { may: "articles.publish", decide: unpublishArticle },
  delete: { may: "articles.delete", decide: deleteArticle },
  restore: { may: "articles.delete", decide: restoreArticle },
};

export function reviewRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const response = { 200: reviewedArticle };

  app.get(
    "/articles/:id",
    { config: { access: { may: "articles.read", on: "article" } }, schema: { params: idParams, response } },
    async (request) => {
      const { id } = request.params;
      return showArticle(admin, id);
    },
  );

  for (const [name, { may, decide }] of Object.entries(DECISIONS)) {
    app.post(
      `/articles/:id/${name}`,
      {
        config: { access: { may, on: "article" } },
        schema: { params: idParams, body: versionInput, response },
      },
      async (request) => {
        const { id } = request.params;
        await decide(deps, id, getActor(admin, request), request.body);
        return showArticle(admin, id);
      },
    );
  }

  app.post(
    "/articles/:id/request-changes",
    {
      config: { access: { may: "articles.approve", on: "article" } },
      schema: { params: idParams, body: reasonInput, response },
    },
    async (request) => {
      const { id } = request.params;
      const { reason, version } = request.body;
      const actor = getActor(admin, request);
      await requestChanges(deps, id, reason, actor, { version });
      return showArticle(admin, id);
    },
  );

  app.post(
    "/articles/:id/schedule",
    {
      config: { access: { may: "articles.publish", on: "article" } },
      schema: { params: idParams, body: scheduleInput, response },
    },
    async (request) => {
      const { id } = request.params;
      const { publish_at: text, version } = request.body;
      const actor = getActor(admin, request);
      const at = text === null ? null : parseTimeParam("publish_at", text);
      await scheduleArticle(deps, id, at, actor, { version });
      return showArticle(admin, id);
    },
  );
}
