/** Many articles in one request: a line of JSON for each, or files; and a line for each in the answer. */
import { AppError } from "../../domain/system/errors.ts";
import type { AdminOptions } from "../admin/admin-options.ts";
import { fileImporter } from "../admin/articles/imports.ts";
import { type Admin, type AdminServer, getWebsiteId } from "../admin/routes.ts";
import { batchParameters } from "./contract.ts";
import { assertMayOverwrite } from "./edits.ts";

/** Files of a repository (operations/articles/import/push-archive.ts). */
export const ARCHIVE = "application/x-tar";

export function batchRoutes(
  app: AdminServer,
  admin: Admin,
  options: Pick<AdminOptions, "dashboardThread" | "uploads">,
): void {
  const importFile = fileImporter(admin, options, "send yours");
  void app.register(async (batches: AdminServer) => {
    // The body stays a stream: the batch may be larger than memory.
    batches.removeAllContentTypeParsers();
    batches.addContentTypeParser(["application/x-ndjson", ARCHIVE], (_request, body, done) => done(null, body));
    batches.post(
      "/articles/batch",
      {
        config: { access: { may: "articles.import", on: "named" }, takes: "file", isRepeatable: true },
        schema: { querystring: batchParameters },
      },
      async (request, reply) => {
        if (request.query.overwrite === "true") assertMayOverwrite(request);
        const query = { ...request.query, website_id: getWebsiteId(request), name: "batch" };
        try {
          const isPush = request.headers["content-type"] === ARCHIVE;
          return await importFile(request, reply, { query, isBatch: !isPush, isPush });
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "conflict") throw error;
          throw new AppError("busy", error.message, { cause: error });
        }
      },
    );
  });
}
