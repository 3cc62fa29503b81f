/**
 * Who may use a route: each says so, and nobody else gets as far as its handler. In this order: a request that changes
 * something comes from our own pages (no other site makes a browser send it), somebody is signed in, the role allows it, and the
 * session has shown a second factor where one is asked for.
 */
import type { FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { AppError, ProofNeeded } from "../../domain/system/errors.ts";
import { type Action, can, refuseUnless, roleOn } from "../../domain/people/permissions.ts";
import { websiteOfMember } from "../../operations/people/members.ts";
import { findSignedIn, type SignedIn } from "../../operations/people/sessions.ts";
import { isSecure } from "./client-address.ts";
import { readCookie } from "./cookie.ts";
import { ADMIN_PREFIX } from "./lazy-admin.ts";
import { RefusedAccess } from "./people/refused-access.ts";
import { type Admin, type AdminServer, originOf, signedInOf } from "./routes.ts";
import {
  type OwnFactors,
  requireFactorOfManager,
  requireOwnFactor,
  requireSecondFactor,
} from "./people/shown-factors.ts";
import { noSuchTarget, type Target, websiteOfTarget } from "./authorize-resource.ts";

/**
 * `anyone`; `own`: whoever is signed in, about their own account, and what it does with their second factors; or what one must
 * be allowed to do, on
 *
 * - `named`: the website that `website_id` of the query or the body names; without it, on every website;
 * - a target: the website of the thing that the address names by its id;
 * - `member`: that of the membership, which the operation reads, and decides by, in its transaction.
 *
 * A website may ask for a second factor, also for reading. `opensAccount`: the request opens or closes somebody's whole account.
 */
type Access =
  | "anyone"
  | { own: OwnFactors }
  | {
      may: Action;
      on: "named" | "member" | Target;
      opensAccount?: boolean | ((request: Pick<FastifyRequest, "body">) => boolean);
    };

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** `file`: the body is a file instead of JSON, and its parameters are in the query. */
    takes?: "file";
    /** The answer goes on for as long as somebody looks. */
    isStream?: boolean;
  }
  interface FastifyRequest {
    signedIn: SignedIn | null;
    /** The website that the request concerns, once known. */
    triedOn: string | null;
  }
}

export function requireAccess(app: AdminServer, admin: Admin): void {
  app.decorateRequest("signedIn", null);
  app.decorateRequest("triedOn", null);
  const refused = new RefusedAccess(admin.deps);
  app.addHook("onError", async (request, _reply, error) => {
    if (request.signedIn === null || !(error instanceof AppError) || error.code !== "forbidden") return;
    if (error instanceof ProofNeeded) return;
    const route = `${request.method} ${request.routeOptions.url?.slice(ADMIN_PREFIX.length - 1) ?? ""}`;
    try {
      await refused.note(originOf(admin, request), route, request.triedOn ?? onlyWebsite(request.signedIn));
    } catch (cause) {
      admin.onError(cause, "a refused request could not be recorded in the audit log");
    }
  });
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`${String(method)} ${url} does not say who may use it`);
  });
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("Cache-Control", "no-store");
    refuseOtherSites(request, admin.publicUrl);
    const access = accessOf(request);
    if (access === "anyone") return;
    const token = readCookie(request.raw, isSecure(request.raw, admin.publicUrl));
    const signedIn = token === undefined ? undefined : await findSignedIn(admin.deps, token);
    if (signedIn === undefined) throw new AppError("unauthenticated", "You are not signed in, or not any more.");
    request.signedIn = signedIn;
    if ("own" in access) {
      await requireOwnFactor(admin.deps, request, access.own);
      return;
    }
    request.triedOn = access.on === "named" ? namedWebsite(request) : null;
    refuseEverywhere(signedIn, access.may);
  });
  app.addHook("preHandler", async (request) => {
    const access = accessOf(request);
    if (access === "anyone" || "own" in access) return;
    await requireWebsite(admin, request, access);
    const { opensAccount = false } = access;
    if (opensAccount === true || (opensAccount !== false && opensAccount(request))) requireFactorOfManager(request);
  });
}

/** The role on the website that the request is about, and the second factor that it may ask for. */
async function requireWebsite(
  { deps }: Admin,
  request: FastifyRequest,
  { may, on }: Extract<Access, { may: Action }>,
): Promise<void> {
  const { memberships } = signedInOf(request);
  if (on === "member") {
    const websiteId = await websiteOfMember(deps, idOf(request));
    if (websiteId !== undefined) requireSecondFactor(request, websiteId);
    return;
  }
  if (on === "named") {
    request.triedOn = namedWebsite(request);
  } else {
    const websiteId = await websiteOfTarget(deps, on, idOf(request));
    if (websiteId === undefined) throw noSuchTarget(on);
    request.triedOn = websiteId;
    if (roleOn(memberships, websiteId) === null) throw noSuchTarget(on);
  }
  refuseUnless(memberships, may, request.triedOn);
  requireSecondFactor(request, request.triedOn);
}

/** The id in the address. The schema of the route requires one. */
function idOf({ params }: FastifyRequest): string {
  const id = typeof params === "object" && params !== null && "id" in params ? params.id : undefined;
  if (typeof id !== "string") throw new Error("the address of a route on a thing names none");
  return id;
}

function accessOf(request: Pick<FastifyRequest, "routeOptions">): Access {
  // An unknown address needs no protection: it is 404 for everybody.
  return request.routeOptions.config.access ?? "anyone";
}

function refuseEverywhere({ memberships }: SignedIn, action: Action): void {
  if (memberships.some(({ websiteId }) => can(roleOn(memberships, websiteId), action))) return;
  refuseUnless([], action, null);
}

/** The website of a person with one membership; else null. */
function onlyWebsite({ memberships }: SignedIn): string | null {
  return memberships.length === 1 ? (memberships[0]?.websiteId ?? null) : null;
}

/** Read from one place only, so that the guard and the handler cannot disagree. */
function namedWebsite({ method, query, body, routeOptions }: FastifyRequest): string | null {
  const isInQuery =
    method === "GET" || method === "HEAD" || method === "DELETE" || routeOptions.config.takes === "file";
  const part = isInQuery ? query : body;
  const hasName = typeof part === "object" && part !== null && "website_id" in part;
  return hasName && typeof part.website_id === "string" ? part.website_id : null;
}

/**
 * Browsers say with each request which site made it, and no page can change that. Older ones, and those on plain http, send
 * the origin instead. Who sends neither is no browser, and must say where it believes to be.
 *
 * @throws AppError `forbidden`.
 */
function refuseOtherSites(
  { raw: req, routeOptions }: Pick<FastifyRequest, "raw" | "routeOptions">,
  publicUrl: string | null,
): void {
  if (req.method === "GET" || req.method === "HEAD") return;
  const site = req.headers["sec-fetch-site"];
  const isOurs = site === undefined ? isOwnOrigin(req, publicUrl) : site === "same-origin" || site === "none";
  if (!isOurs) {
    throw new AppError("forbidden", "This request comes from another site; send it from the dashboard's own pages.");
  }
  // A form of another site can send neither JSON nor a file as it is, and no script of it can without asking first.
  const hasBody = req.headers["content-length"] !== undefined || req.headers["transfer-encoding"] !== undefined;
  const type = req.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (routeOptions.config.takes === "file") {
    if (type === FILE_TYPE) return;
    throw new AppError("forbidden", `Send the file as it is, with the header Content-Type: ${FILE_TYPE}.`);
  }
  if (type !== JSON_TYPE && (hasBody || req.method !== "DELETE")) {
    throw new AppError("forbidden", `Send JSON, with the header Content-Type: ${JSON_TYPE}.`);
  }
}

const JSON_TYPE = "application/json";
const FILE_TYPE = "application/octet-stream";

function isOwnOrigin({ headers: { origin, host } }: IncomingMessage, publicUrl: string | null): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: itsHost } = new URL(origin);
  if (!/^https?:$/.test(protocol)) return false;
  return itsHost === host?.toLowerCase() || (publicUrl !== null && new URL(publicUrl).origin === origin);
}
