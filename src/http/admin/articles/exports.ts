import { Readable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { slugify } from "../../../domain/articles/content/slug.ts";
import { isoTime } from "../../../domain/system/time.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { exportAs, type ExportFormat } from "../../../operations/articles/export/formats.ts";
import { Losses } from "../../../operations/articles/export/losses.ts";
import { recordExport } from "../../../operations/articles/import/exports.ts";
import { readWebsite } from "../../../operations/website/websites.ts";
import { type Bucket, RateLimits } from "../../read-api/rate-limit.ts";
import { OperationLimits } from "../concurrency-limit.ts";
import { exportParameters } from "../contract/imports.ts";
import { type Admin, type AdminServer, getOrigin, getSignedIn } from "../routes.ts";
import { closeWhenIdle } from "../idle-timeout.ts";

/** Limits per process. Each export holds a snapshot of the database, and on PostgreSQL a connection, until it ends. */
const LIMITS = { perPerson: 2, perWebsite: 3, atOnce: 6 };
/** A download that makes no progress for this long is ended, which frees its slot. */
const STALLED_MS = 20_000;
/** How much all exports of one website are sent at once, and in each second after that. */
const MB_PER_SECOND = 5;
/** Characters of a piece: a millisecond's work, after which others have their turn. */
const PIECE_LENGTH = 64 * 1024;
const FILES: Record<ExportFormat, { type: string; extension: string }> = {
  rostrum: { type: "application/x-ndjson", extension: "ndjson" },
  wordpress: { type: "application/xml", extension: "xml" },
  ghost: { type: "application/json", extension: "json" },
};

export function exportRoutes(app: AdminServer, admin: Admin): void {
  const { deps, stopping, onError } = admin;
  const budgets = new RateLimits();
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
      const { id: accountId } = getSignedIn(request);
      const { id, name } = await readWebsite(deps, request.query.website_id);
      using begun = new DisposableStack();
      begun.use(limits.begin(accountId, id));
      await recordExport(deps, id, null, getOrigin(admin, request));
      const places = begun.move();
      const budget = budgets.ofKey(id, MB_PER_SECOND, performance.now());
      const { format = "rostrum" } = request.query;
      const articles = exportAs(deps, id, { format, losses: new Losses() });
      const lines = Readable.from(inPieces(articles, (length) => spend(budget, length)));
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
        .header("Content-Type", `${FILES[format].type}; charset=utf-8`)
        .header(
          "Content-Disposition",
          `attachment; filename="${fileName(name, deps.clock())}.${FILES[format].extension}"`,
        )
        .header("X-Accel-Buffering", "no")
        .send(lines);
    },
  );
}

/** Charges a piece to the website. @returns when it may be sent. */
function spend(budget: Bucket, length: number): Promise<void> {
  budget.charge(length / 1e6);
  const ms = budget.owesMs(performance.now());
  return ms === 0 ? nextTurn() : sleep(ms);
}

/** Joins the lines to large pieces; `pause` is awaited before each. */
export async function* inPieces(
  lines: AsyncIterable<string> | Iterable<string>,
  pause: (length: number) => Promise<void>,
): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE_LENGTH) continue;
    await pause(piece.length);
    yield piece;
    piece = "";
  }
  await pause(piece.length);
  if (piece !== "") yield piece;
}

/** Without its extension. Uses only characters that every file system accepts. */
function fileName(website: string, now: number): string {
  const name =
    slugify(website)
      .replaceAll(/[^a-z0-9-]+/g, "")
      .replace(/^-+/, "") || "articles";
  return `${name.slice(0, 60)}-${isoTime(now).slice(0, 10)}`;
}
