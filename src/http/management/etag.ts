/**
 * `ETag` and `If-Match` contain the article's version and when its draft copy was saved. The dashboard names both in
 * its requests; a hook puts them there, so that the dashboard's handlers check them.
 */
import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/system/errors.ts";
import { isoTime, type Millis } from "../../domain/system/time.ts";
import type { ExpectedVersion, SeenDraft } from "../../operations/articles/write/optimistic-lock.ts";
import { findArticleAnywhere } from "../../store/articles/articles.ts";
import { findDraftCopy } from "../../store/articles/draft-copies.ts";
import type { Snapshot } from "../../store/store.ts";
import type { Admin, AdminServer } from "../admin/routes.ts";
import { Refusal } from "./refusal.ts";

type Seen = ExpectedVersion & SeenDraft;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The request names the version of the article that it changes. */
    takesEtag?: true;
  }
  interface FastifyRequest {
    /** The version that `If-Match` names, on routes that need one. */
    seen: Seen | null;
  }
}

export function formatEtag({ version, draftSavedAt }: Seen): string {
  return `${version}-${draftSavedAt ?? 0}`;
}

/** The present ETag; undefined if there is no such article. */
export async function findEtag(db: Snapshot, id: string): Promise<Seen | undefined> {
  const article = await findArticleAnywhere(db, id);
  if (article === undefined) return undefined;
  const draft = await findDraftCopy(db, article.rowNo);
  return { version: article.version, draftSavedAt: draft?.savedAt ?? null };
}

/** Call it once the website has been added to requests. */
export function takeEtags(routes: AdminServer, { deps }: Admin): void {
  routes.decorateRequest("seen", null);
  routes.addHook("preValidation", async (request) => {
    const places = getPlaces(request);
    if (Buffer.isBuffer(request.body) || !(places.isOwn || places.version || places.draft)) return;
    const given = request.headers["if-match"];
    const seen = given?.trim() === "*" ? await deps.store.read((db) => findEtag(db, getId(request))) : parseEtag(given);
    // For an unknown article the operation throws `not_found`.
    request.seen = seen ?? { version: 0, draftSavedAt: null };
    if (places.isOwn) return;
    assertAbsent(request.body, request.query);
    const part = places.inQuery ? (request.query as object) : (request.body ??= {});
    if (places.version) Object.assign(part, { version: request.seen.version });
    // A route on a draft copy must name one; no copy was saved at the beginning of time.
    if (places.draft) Object.assign(part, { draft_saved_at: isoTime(request.seen.draftSavedAt ?? NONE) });
  });
  routes.addHook("preSerialization", async (_request, reply, payload) => {
    const etag = getEtag(payload);
    if (etag !== undefined) void reply.header("ETag", `"${etag}"`);
    return payload;
  });
}

const NONE: Millis = 0;

/** @throws Refusal 428 without the header; AppError `invalid`. */
function parseEtag(given: string | undefined): Seen {
  if (given === undefined) {
    throw new Refusal(
      428,
      "precondition_required",
      "Name the version of the article that you saw in the header If-Match: its etag, or * for any.",
      { param: "If-Match" },
    );
  }
  // Proxies that compress answers make their ETags weak.
  const [, version, draftSavedAt] = /^(?:W\/)?"?(\d{1,16})-(\d{1,16})"?$/.exec(given.trim()) ?? [];
  if (version === undefined || draftSavedAt === undefined) {
    throw new AppError("invalid", "If-Match must be the etag of the article, or *.", { field: "If-Match" });
  }
  return { version: Number(version), draftSavedAt: draftSavedAt === "0" ? null : Number(draftSavedAt) };
}

/** Where the route's handler expects the version and the time of the draft copy. */
function getPlaces({ routeOptions: { schema, config } }: FastifyRequest) {
  const [body, query] = [getProperties(schema?.body), getProperties(schema?.querystring)];
  const inQuery = "draft_saved_at" in query;
  return {
    isOwn: config.takesEtag === true,
    version: "version" in body,
    draft: inQuery || "draft_saved_at" in body,
    inQuery,
  };
}

function getProperties(schema: unknown): object {
  const isObject = typeof schema === "object" && schema !== null && "properties" in schema;
  return isObject ? (schema.properties as object) : {};
}

/** @throws AppError `invalid` if the request itself names a version: the header does. */
function assertAbsent(...parts: readonly unknown[]): void {
  for (const part of parts) {
    for (const name of ["version", "draft_saved_at"]) {
      if (typeof part !== "object" || part === null || !(name in part)) continue;
      throw new AppError("invalid", `${name} is no field of this request: the header If-Match has the etag.`, {
        field: name,
      });
    }
  }
}

function getId({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

function getEtag(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null || !("article" in payload)) return undefined;
  const { article } = payload;
  const has = typeof article === "object" && article !== null && "etag" in article;
  return has && typeof article.etag === "string" ? article.etag : undefined;
}
