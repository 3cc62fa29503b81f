/** The management API, under /api/management: articles for machines. Most of its routes are the dashboard's. */
import type { AdminOptions } from "../admin/admin-options.ts";
import { articleRoutes } from "../admin/articles/articles.ts";
import { assetRoutes } from "../admin/articles/assets.ts";
import { commentRoutes } from "../admin/articles/comments.ts";
import { editRoutes, ROOM_FOR_EDITS } from "../admin/articles/edits.ts";
import { exportRoutes } from "../admin/articles/exports.ts";
import { historyRoutes } from "../admin/articles/history.ts";
import { reviewRoutes } from "../admin/articles/review.ts";
import { forwardLongBodies } from "../admin/forward-long-bodies.ts";
import { type Admin, type AdminServer, getSignedIn, getWebsiteId } from "../admin/routes.ts";
import type { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import { managedArticleRoutes } from "./articles.ts";
import { batchRoutes } from "./batch.ts";
import { managedEditRoutes } from "./edits.ts";
import { takeEtags } from "./etag.ts";
import { takeIdempotencyKeys } from "./idempotency.ts";
import { meRoutes } from "./me.ts";
import { managedForm } from "./present.ts";
import { explainRefusals } from "./explain-refusals.ts";
import { addWebsite } from "./token-access.ts";
import { compareFiles } from "../../operations/articles/import/pushed-files.ts";
import { filesAnswer, filesInput } from "./contract.ts";

/** RFC 7396, which PATCH is: some clients say so. */
const MERGE_PATCH = "application/merge-patch+json";

/** Routes of the dashboard that are also here: none that serves its screens, or people and their rights. */
const SHARED = [
  "GET /articles/:id",
  "POST /articles/:id/submit",
  "POST /articles/:id/withdraw",
  "POST /articles/:id/assign",
  "POST /articles/:id/request-changes",
  "POST /articles/:id/approve",
  "POST /articles/:id/unapprove",
  "POST /articles/:id/publish",
  "POST /articles/:id/schedule",
  "POST /articles/:id/unpublish",
  "POST /articles/:id/approve-and-publish",
  "POST /articles/:id/approve-and-schedule",
  "POST /articles/:id/delete",
  "POST /articles/:id/restore",
  "POST /articles/:id/draft/publish",
  "DELETE /articles/:id/draft",
  "GET /articles/:id/translations",
  "GET /articles/:id/deliveries",
  "GET /articles/:id/history",
  "GET /articles/:id/redline",
  "GET /articles/:id/redline-bases",
  "GET /articles/:id/revisions/:revision",
  "POST /articles/:id/revisions/:revision/restore",
  "GET /articles/:id/comments",
  "POST /articles/:id/comments",
  "POST /articles/:id/comments/:comment/replies",
  "POST /articles/:id/comments/:comment/resolve",
  "POST /articles/:id/comments/:comment/reopen",
  "GET /assets",
  "POST /assets",
  "PATCH /assets/:id",
  "GET /exports",
] as const;

/** The dashboard's routes with another address here. */
const RENAMED: Readonly<Record<string, string>> = {
  "GET /articles/labels": "/labels",
  "POST /articles/preview": "/articles/check",
};

type ManagementOptions = Pick<AdminOptions, "readModel" | "dashboardThread" | "uploads" | "managementDescription">;

export function managementRoutes(routes: AdminServer, given: Admin, options: ManagementOptions): void {
  const { readModel, dashboardThread, uploads } = options;
  const admin = prepare(routes, given);
  managedArticleRoutes(routes, admin, readModel);
  meRoutes(routes, admin);
  batchRoutes(routes, admin, options);
  descriptionRoutes(routes, options.managementDescription);
  share(routes, (shared) => {
    articleRoutes(shared, admin, readModel);
    reviewRoutes(shared, admin);
    commentRoutes(shared, admin);
    historyRoutes(shared, admin);
    assetRoutes(shared, admin, { uploads });
    exportRoutes(shared, admin);
  });
  void routes.register(async (edits: AdminServer) => {
    forwardLongBodies(edits, dashboardThread, ["application/json", MERGE_PATCH]);
    managedEditRoutes(edits, admin);
    pushedFileRoutes(edits, admin);
    share(edits, (shared) => editRoutes(shared, admin));
  });
}

/** Routes that the dashboard's thread answers: those with long bodies, and what agents' tools use. */
export function managementInThread(routes: AdminServer, given: Admin, readModel: ReadModel): void {
  const admin = prepare(routes, given);
  routes.addContentTypeParser(MERGE_PATCH, { parseAs: "string" }, routes.getDefaultJsonParser("error", "error"));
  managedArticleRoutes(routes, admin, readModel);
  managedEditRoutes(routes, admin);
  pushedFileRoutes(routes, admin);
  share(routes, (shared) => {
    reviewRoutes(shared, admin);
    commentRoutes(shared, admin);
    historyRoutes(shared, admin);
    editRoutes(shared, admin);
  });
}

/** Adds hooks to all routes. @returns what their handlers are given. */
function prepare(routes: AdminServer, given: Admin): Admin {
  const admin = { ...given, form: managedForm };
  explainRefusals(routes, admin);
  takeIdempotencyKeys(routes, admin);
  addWebsite(routes);
  takeEtags(routes, admin);
  return admin;
}

type AddRoute = (this: unknown, path: string, ...rest: unknown[]) => unknown;

/** Registers those routes of `addRoutes` that SHARED has. */
function share(routes: AdminServer, addRoutes: (shared: AdminServer) => void): void {
  void routes.register(async (shared: AdminServer) => {
    for (const method of ["get", "post", "put", "patch", "delete"] as const) {
      // These methods have a dozen overloads, which all take the path first.
      const add = shared[method] as unknown as AddRoute;
      const addShared: AddRoute = function (this: unknown, path, ...rest) {
        const name = `${method.toUpperCase()} ${path}`;
        const address = RENAMED[name] ?? (SHARED.some((one) => one === name) ? path : undefined);
        return address === undefined ? this : add.call(this, address, ...rest);
      };
      Object.assign(shared, { [method]: addShared });
    }
    addRoutes(shared);
  });
}

function descriptionRoutes(app: AdminServer, read: () => Buffer): void {
  app.get("/openapi.json", { config: { access: "anyone" } }, async (_request, reply) =>
    reply.header("Cache-Control", "no-cache").type("application/json; charset=utf-8").send(read()),
  );
}

/** Which files of a repository are to be sent, before they are. */
function pushedFileRoutes(app: AdminServer, { deps }: Admin): void {
  app.post(
    "/articles/batch/files",
    {
      ...ROOM_FOR_EDITS,
      config: { access: { may: "articles.import", on: "named" }, isRepeatable: true },
      schema: { body: filesInput, response: { 200: filesAnswer } },
    },
    (request) => compareFiles(deps, getWebsiteId(request), request.body.files, getSignedIn(request).id),
  );
}
