/** Adds a `code` and more to refusals of the management API, which say what to do. */
import type { FastifyError, FastifyRequest } from "fastify";
import { roleOn } from "../../domain/people/permissions.ts";
import { AppError } from "../../domain/system/errors.ts";
import { isoTime } from "../../domain/system/time.ts";
import { getState } from "../../domain/articles/verbs.ts";
import { asUuid } from "../../domain/articles/article.ts";
import { getReviewedBy } from "../../operations/articles/review/article-review.ts";
import { StaleVersion } from "../../operations/articles/write/optimistic-lock.ts";
import { presentPerson } from "../admin/articles/article-presenters.ts";
import { type Admin, type AdminServer, getSignedIn } from "../admin/routes.ts";
import type { ManagementErrorCode } from "../error-codes.ts";
import { refusal } from "../errors.ts";
import { MANAGED_VERBS } from "./contract.ts";
import { AlreadyDone, findDone } from "../../operations/people/idempotency.ts";
import { findEtag, formatEtag } from "./etag.ts";
import { replay } from "./idempotency.ts";
import { Refusal } from "./refusal.ts";

/** The code of a refusal that has none of its own, by status. */
const CODES: Readonly<Record<number, ManagementErrorCode>> = {
  400: "invalid",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  413: "too_large",
  415: "unsupported_media_type",
  422: "too_expensive",
  429: "too_many_requests",
  500: "internal_error",
  503: "unavailable",
};

export function explainRefusals(routes: AdminServer, admin: Admin): void {
  routes.setErrorHandler(async (error: FastifyError, request, reply) => {
    const done = await findFirst(admin, request, error);
    if (done !== undefined) return reply.send(await replay(admin, request, reply, done));
    const explained = await explain(admin, request, error);
    // The server's own handler logs failures.
    if (!(explained instanceof Refusal)) throw explained;
    const { status, message, code, facts, headers } = explained;
    return reply
      .code(status)
      .headers(headers)
      .send({ ...refusal(status, message).body, code, ...facts });
  });
  const methods = collectMethods(routes);
  routes.setNotFoundHandler(async ({ method, url }, reply) => {
    const allowed = methods(url);
    if (allowed.length === 0) {
      const { body } = refusal(404, "There is no such route; the documentation is at /docs.");
      return reply.code(404).send({ ...body, code: CODES[404] });
    }
    const { body } = refusal(405, `There is no ${method} at this address: use ${allowed.join(", ")}.`);
    return reply
      .code(405)
      .header("Allow", allowed.join(", "))
      .send({ ...body, code: CODES[405] });
  });
  // Read as it is, a compressed body would be refused for what it says.
  routes.addHook("preParsing", async ({ headers }) => {
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() === "identity") return;
    throw new Refusal(415, "unsupported_media_type", "Send the body as it is, without the header Content-Encoding.");
  });
  routes.addHook("preSerialization", async (_request, reply, payload) =>
    reply.statusCode < 400 ? payload : { ...withCode(reply.statusCode, payload) },
  );
}

/**
 * What the first request with this key has done, after this one, its repeat, was let in: in another process, or without
 * a client, who had left. That may be what this one is in conflict with.
 */
async function findFirst({ deps }: Admin, { keyed }: FastifyRequest, error: FastifyError) {
  if (error instanceof AlreadyDone) return error.done;
  if (keyed === null || !(error instanceof AppError) || error.code !== "conflict") return undefined;
  const done = await findDone(deps, keyed);
  return done?.hash === keyed.hash ? done : undefined;
}

/** @returns the methods at an address, of the routes that are added from now on. */
function collectMethods(routes: AdminServer): (url: string) => string[] {
  const found = new Map<string, Set<string>>();
  routes.addHook("onRoute", ({ method, url }) => {
    const known = found.get(url) ?? new Set<string>();
    for (const one of [method].flat()) known.add(one);
    found.set(url, known);
  });
  return (url) => {
    const parts = url.split("?", 1)[0]?.split("/") ?? [];
    let fitting = new Set<string>();
    for (const [pattern, known] of found) {
      const wanted = pattern.split("/");
      const fits = wanted.every((part, at) => part.startsWith(":") || part === parts[at]);
      if (fits && wanted.length === parts.length) fitting = fitting.union(known);
    }
    return [...fitting].toSorted();
  };
}

function withCode(status: number, payload: unknown): object {
  const body = typeof payload === "object" && payload !== null ? payload : {};
  return "code" in body ? body : { ...body, code: CODES[status] ?? "error" };
}

async function explain(admin: Admin, request: FastifyRequest, error: FastifyError): Promise<Error> {
  if (error instanceof StaleVersion) return explainStale(admin, request, error);
  if (error instanceof AppError && error.code === "conflict") return explainConflict(admin, request, error);
  if (error instanceof AppError && error.field === "accept_loss") {
    const message = `${error.message.split("accept_loss in a request")[0]}accept_loss=true in the address.`;
    return new Refusal(422, "loss", message, { param: "accept_loss" });
  }
  return explainInput(request, error) ?? error;
}

async function explainStale(admin: Admin, request: FastifyRequest, { last }: StaleVersion): Promise<Error> {
  const id = getArticleId(request);
  const now = id === undefined ? undefined : await admin.deps.store.read((db) => findEtag(db, id));
  // Nothing has changed: the request was about a draft copy, and there was none.
  if (now !== undefined && request.seen !== null && formatEtag(now) === formatEtag(request.seen)) {
    return explainConflict(admin, request, new AppError("conflict", "This article has no draft copy."));
  }
  const message =
    "The article has changed since the version that If-Match names: read it again, then repeat the change.";
  return new Refusal(412, "stale", message, {
    etag: now === undefined ? null : formatEtag(now),
    changed_by: last && presentPerson(last.person).name,
    changed_at: last && isoTime(last.at),
  });
}

async function explainConflict(admin: Admin, request: FastifyRequest, error: AppError): Promise<Error> {
  const { code = "conflict", ...more } = error.facts ?? {};
  const facts = { ...(error.field === undefined ? {} : { param: error.field }), ...more };
  const id = getArticleId(request);
  if (id === undefined) return new Refusal(409, code, error.message, facts);
  const { id: actor, memberships } = getSignedIn(request);
  const role = roleOn(memberships, request.triedOn);
  const { full, verbs } = await getReviewedBy(admin.deps, id, { id: actor, role, isMachine: true });
  const allowed = MANAGED_VERBS.filter((verb) => verbs.includes(verb));
  return new Refusal(409, code, error.message, { ...facts, state: getState(full.article), allowed });
}

/** The article that the address names. */
function getArticleId({ params, routeOptions }: FastifyRequest): string | undefined {
  const { access } = routeOptions.config;
  if (typeof access !== "object" || !("on" in access) || access.on !== "article") return undefined;
  return asUuid((params as { id?: unknown }).id) ?? undefined;
}

function explainInput({ routeOptions: { url, config } }: FastifyRequest, error: FastifyError): Error | undefined {
  const [first] = error.validation ?? [];
  const unknown = first?.keyword === "additionalProperties" ? first.params["additionalProperty"] : undefined;
  if (typeof unknown === "string") {
    const place = first?.instancePath === "" ? "" : ` in ${first?.instancePath.slice(1)}`;
    return new Refusal(
      400,
      "invalid",
      `There is no ${unknown}${place} in this request; leave it out, or correct its name.`,
      {
        param: unknown,
      },
    );
  }
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    const file = url?.endsWith("/batch") === true ? "a line of JSON for each article" : "the file as it is";
    const type = url?.endsWith("/batch") === true ? "application/x-ndjson" : "application/octet-stream";
    const wanted = config.takes === "file" ? [file, type] : ["JSON", "application/json"];
    const message = `Send ${wanted[0]}, with the header Content-Type: ${wanted[1]}.`;
    return new Refusal(415, "unsupported_media_type", message);
  }
  return undefined;
}
