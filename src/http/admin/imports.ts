/** Articles from a file that was dropped. The file is taken first; then the answer tells what becomes of its articles, as it does. */
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/errors.ts";
import { can, roleOn } from "../../domain/permissions.ts";
import type { Website } from "../../domain/website.ts";
import type { ImportedItem } from "../../operations/import-items.ts";
import { type ImportCounts, NONE_COUNTED } from "../../operations/import-notes.ts";
import { importInBatches } from "../../operations/imports.ts";
import { readWebsite } from "../../operations/websites.ts";
import { AtMost } from "./at-most.ts";
import { type ImportLine, type ImportQuery, importQuery } from "./contract/imports.ts";
import { type ReceivedFile, receiveFile } from "./received-file.ts";
import { actorOf, type Admin, type AdminServer, signedInOf } from "./routes.ts";
import { giveUpWhenSilent } from "./silence.ts";

const LARGEST_FILE_BYTES = 200_000_000;
/** It is in memory as a whole, several times over, and nothing else is done while it is read. */
const LARGEST_JSON_BYTES = 50_000_000;
const MOST_AT_ONCE = 4;
/** Saving them takes some ten milliseconds, in which SQLite lets this process do nothing else. */
const BATCH_ITEMS = 10;

export function importRoutes(app: AdminServer, admin: Admin): void {
  const places = new AtMost(
    MOST_AT_ONCE,
    "Other imports are under way on this server; wait until one of them has ended, then drop the file again.",
  );
  void app.register(async (files: AdminServer) => {
    // As it comes: it may be larger than memory.
    files.addContentTypeParser("application/octet-stream", (_request, body, done) => done(null, body));
    files.post(
      "/imports",
      {
        config: { access: { may: "articles.import", on: "named" }, takes: "file" },
        schema: { querystring: importQuery },
      },
      async (request, reply) => {
        refuseStatus(request, request.query);
        refuseFolder(request.query);
        const website = await readWebsite(admin.deps, request.query.website_id);
        const place = places.begin();
        try {
          admin.uploads.add(request.raw.socket);
          giveUpWhenSilent(reply);
          const file = await receiveFile(request.raw, LARGEST_FILE_BYTES);
          const lines = Readable.from(linesOf(admin, request, website, file));
          // Also when nobody ever asked for a line.
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
          admin.uploads.delete(request.raw.socket);
        }
      },
    );
  });
}

/** Without a status named, what somebody imports who may not publish waits for review. @throws AppError `forbidden`. */
function refuseStatus(request: FastifyRequest, { status, website_id: websiteId }: ImportQuery): void {
  if (status === undefined || status === "pending") return;
  if (can(roleOn(signedInOf(request).memberships, websiteId), "articles.publish")) return;
  throw new AppError("forbidden", "Your role imports articles for review; leave the status out, or choose pending.");
}

/** @throws AppError `invalid`. */
function refuseFolder({ name, folder }: ImportQuery): void {
  if (folder === undefined || name.startsWith(`${folder}/`)) return;
  throw new AppError("invalid", "folder must be the first of the folders that name begins with.", { field: "folder" });
}

/** It ends with the batch under way when nobody asks for another line. */
async function* linesOf(
  admin: Admin,
  request: FastifyRequest<{ Querystring: ImportQuery }>,
  website: Website,
  { path }: ReceivedFile,
): AsyncGenerator<string> {
  const { deps, stopping } = admin;
  const { name, folder = null, status, events, dry_run: dryRun } = request.query;
  let part = 0;
  const counts: ImportCounts = { ...NONE_COUNTED };
  const progress = () => lineOf({ kind: "progress", done: counts.created + counts.updated + counts.unchanged, part });
  try {
    yield progress();
    const items = admin.readImport(
      { path, name, folder },
      {
        websiteUrl: website.url,
        mostJsonBytes: LARGEST_JSON_BYTES,
        clock: deps.clock,
        onProgress: (read, total) => {
          part = total === null || total === 0 ? 0 : Math.min(1, read / total);
        },
      },
    );
    const batches = importInBatches(deps, website.id, items, {
      actor: actorOf(admin, request, website.id),
      events: events === "true",
      dryRun: dryRun === "true",
      batchItems: BATCH_ITEMS,
      ...(status === undefined ? {} : { status }),
    });
    for await (const batch of batches) {
      for (const { outcome } of batch) counts[outcome]++;
      yield batch.map((item) => lineOf(present(item))).join("") + progress();
      if (stopping.aborted) {
        yield lineOf({ kind: "error", message: STOPPING });
        return;
      }
    }
    yield lineOf({ kind: "summary", ...counts });
  } catch (error) {
    if (!(error instanceof AppError)) admin.onError(error, "an import failed");
    yield lineOf({ kind: "error", message: error instanceof AppError ? error.message : FAILED });
  }
}

const STOPPING = "The service is stopping. What is in the list is kept; drop the file again in a moment to go on.";
const FAILED = "Something went wrong on the server, and its log says what. What is in the list is kept.";

function present(item: ImportedItem): ImportLine {
  const { source, outcome, articleId, title, reason } = item;
  return { kind: "item", source, outcome, article_id: articleId, title, reason };
}

function lineOf(line: ImportLine): string {
  return `${JSON.stringify(line)}\n`;
}
