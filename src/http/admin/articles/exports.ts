import { Readable } from "node:stream";
import { slugify } from "../../../domain/articles/content/slug.ts";
import { isoTime } from "../../../domain/system/time.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { exportArticles, recordExport } from "../../../operations/articles/import/exports.ts";
import { readWebsite } from "../../../operations/website/websites.ts";
import { OperationLimits } from "../concurrency-limit.ts";
import { exportParameters } from "../contract/imports.ts";
import { type Admin, type AdminServer, getOrigin, getSignedIn } from "../routes.ts";
import { closeWhenIdle } from "../idle-timeout.ts";

/** Limits per process. Each export holds a snapshot of the database, and on PostgreSQL a connection, until it ends. */
const LIMITS = { perPerson: 2, perWebsite: 3, atOnce: 6 };
/** A download that makes no progress for this long is ended, which frees its slot. */
const STALLED_MS = 20_000;

export function exportRoutes(app: AdminServer, admin: Admin): void {
  const { deps, stopping, onError } = admin;
  const limits = new OperationLimits({ what: "exports", ...LIMITS });
  app.get(
    "/exports",
    {
      config: { access: { may: "articles.read", on: "named" } },
      schema: { querystring: exportParameters },
      // A HEAD request should not have to produce an export.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id, name } = await readWebsite(deps, request.query.website_id);
      using begun = new DisposableStack();
      begun.use(limits.begin(getSignedIn(request).account.id, id));
      await recordExport(deps, id, null, getOrigin(admin, request));
      const places = begun.move();
      const lines = Readable.from(exportArticles(deps, id));
      // Breaks off the response without a proper end, so that a truncated export is not mistaken for a complete one.
      const stop = () =>
        lines.destroy(
          new AppError(
            "service_unavailable",
            "The service is stopping: the export is incomplete. Start it again in a few seconds.",
          ),
        );
      stopping.addEventListener("abort", stop, { once: true });
      lines.once("error", (error) => {
        if (!stopping.aborted) onError(error, "an export was interrupted");
      });
      lines.once("close", () => {
        places.dispose();
        stopping.removeEventListener("abort", stop);
      });
      closeWhenIdle(reply, STALLED_MS);
      return reply
        .header("Content-Type", "application/x-ndjson; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${fileName(name, deps.clock())}"`)
        .header("X-Accel-Buffering", "no")
        .send(lines);
    },
  );
}

/** Uses only characters that every file system accepts. */
function fileName(website: string, now: number): string {
  const name =
    slugify(website)
      .replaceAll(/[^a-z0-9-]+/g, "")
      .replace(/^-+/, "") || "articles";
  return `${name.slice(0, 60)}-${isoTime(now).slice(0, 10)}.ndjson`;
}
