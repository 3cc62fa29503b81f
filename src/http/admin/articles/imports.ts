/** The file is received first; then the response reports the outcome of each article as it happens. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../../domain/system/errors.ts";
import { can, roleOn } from "../../../domain/people/permissions.ts";
import { readWebsite } from "../../../operations/website/websites.ts";
import { getBaseUrl } from "../../connection/proxies.ts";
import { OperationLimits } from "../concurrency-limit.ts";
import { type ImportParameters, importParameters, importStopInput, importStopResult } from "../contract/imports.ts";
import { failureLine, type ImportJob, stoppedLine } from "./import-lines.ts";
import type { AdminOptions } from "../admin-options.ts";
import { receiveFile } from "./upload.ts";
import { getActor, type Admin, type AdminServer, getSignedIn, getWebsiteId } from "../routes.ts";
import { closeWhenIdle } from "../idle-timeout.ts";

export const LARGEST_FILE_BYTES = 200_000_000;
export const LIMITS = { perPerson: 2, perWebsite: 2, atOnce: 6 };

export function importRoutes(
  app: AdminServer,
  admin: Admin,
  options: Pick<AdminOptions, "dashboardThread" | "uploads">,
): void {
  const importFile = fileImporter(admin, options, "drop the file again");
  /** By who imports, where, and their ids. */
  const running = new Map<string, AbortController>();

  app.post(
    "/imports/stop",
    {
      config: { access: { may: "articles.import", on: "named" } },
      schema: { body: importStopInput, response: { 200: importStopResult } },
    },
    async (request) => {
      const { website_id: websiteId, import_id: importId } = request.body;
      const found = running.get(JSON.stringify([getSignedIn(request).id, websiteId, importId]));
      found?.abort();
      return { is_stopped: found !== undefined };
    },
  );

  void app.register(async (files: AdminServer) => {
    // Passed on as a stream: the file may be larger than memory.
    files.addContentTypeParser("application/octet-stream", (_request, body, done) => done(null, body));
    files.post(
      "/imports",
      {
        config: { access: { may: "articles.import", on: "named" }, takes: "file" },
        schema: { querystring: importParameters },
      },
      async (request, reply) => {
        assertMayImportAs(request, request.query);
        assertNameInFolder(request.query);
        const { website_id: websiteId, import_id: importId } = request.query;
        if (importId === undefined) return importFile(request, reply, { query: request.query });
        const stop = new AbortController();
        const key = JSON.stringify([getSignedIn(request).id, websiteId, importId]);
        if (running.has(key)) throw new AppError("conflict", "An import with this import_id is under way.");
        running.set(key, stop);
        reply.raw.once("close", () => running.delete(key));
        return importFile(request, reply, { query: request.query }, stop.signal);
      },
    );
  });
}

/**
 * A handler that receives the body as a file, and answers with a line for each of its articles. @param advice what to
 * do when too many imports are under way: then it throws AppError `conflict`.
 */
export function fileImporter(
  admin: Admin,
  { dashboardThread, uploads }: Pick<AdminOptions, "dashboardThread" | "uploads">,
  advice: string,
) {
  const limits = new OperationLimits({ what: "imports", ...LIMITS, advice });
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    job: Pick<ImportJob, "query" | "isBatch" | "isPush">,
    stop?: AbortSignal,
  ): Promise<FastifyReply> => {
    const website = await readWebsite(admin.deps, getWebsiteId(request));
    const place = limits.begin(getSignedIn(request).id, website.id);
    try {
      uploads.add(request.raw.socket);
      closeWhenIdle(reply);
      const file = await receiveFile(request.raw, LARGEST_FILE_BYTES, "split it, or import it on the command line");
      const actor = getActor(admin, request);
      const base = website.assetUrl ?? getBaseUrl(request.raw, admin.publicUrl);
      const work = dashboardThread.importFile({ path: file.path, website, base, actor, ...job });
      const untilThen = stop === undefined ? work : untilStopped(work, stop);
      const lines = Readable.from(explained(untilThen, admin.onError));
      // `close` is emitted even if no line was ever read.
      lines.once("close", () => {
        place[Symbol.dispose]();
        file.remove().catch((error: unknown) => {
          admin.onError(error, "the file of an import could not be removed");
        });
      });
      return await reply
        .header("Content-Type", "application/x-ndjson; charset=utf-8")
        .header("X-Accel-Buffering", "no")
        .send(lines);
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    } finally {
      uploads.delete(request.raw.socket);
    }
  };
}

/** The response has begun, so that an early end can only be reported in its last line. */
async function* explained(lines: AsyncGenerator<string, void>, onError: Admin["onError"]): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    onError(error, "an import failed");
    yield failureLine(error);
  }
}

/** Ends `lines` once the batch that is being saved when `stop` is aborted has been reported. */
async function* untilStopped(lines: AsyncGenerator<string, void>, stop: AbortSignal): AsyncGenerator<string, void> {
  let done = 0;
  for await (const text of lines) {
    yield text;
    const items = text.match(ITEM_LINE)?.length ?? 0;
    done += items;
    if (stop.aborted && items > 0) {
      yield stoppedLine(done);
      return;
    }
  }
}

const ITEM_LINE = /^\{"kind":"item"/gm;

/** Without an explicit status, imports by users who may not publish wait for review. @throws AppError `forbidden`. */
function assertMayImportAs(request: FastifyRequest, { status, website_id: websiteId }: ImportParameters): void {
  if (status === undefined || status === "pending") return;
  if (can(roleOn(getSignedIn(request).memberships, websiteId), "articles.publish")) return;
  throw new AppError(
    "forbidden",
    "Your role can only import articles for review: leave the status out, or choose pending.",
  );
}

/** @throws AppError `invalid`. */
function assertNameInFolder({ name, folder, files }: ImportParameters): void {
  // The files' own names are checked as they are unpacked.
  if (folder === undefined || files === "true" || name.startsWith(`${folder}/`)) return;
  throw new AppError("invalid", "folder must be the first folder in name.", { field: "folder" });
}
