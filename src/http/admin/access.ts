/**
 * Who may use a route: each says so, and nobody else gets as far as its handler. In this order: a request that changes
 * something comes from our own pages (no other site makes a browser send it), somebody is signed in, and the role allows it.
 */
import type { FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { AppError } from "../../domain/errors.ts";
import { type Action, can, refuseUnless, roleOn } from "../../domain/permissions.ts";
import { findSignedIn, type SignedIn } from "../../operations/sessions.ts";
import { isSecure } from "./client.ts";
import { readCookie } from "./cookie.ts";
import { type Admin, type AdminServer, signedInOf } from "./routes.ts";

/**
 * `anyone`; `self`: whoever is signed in, about their own account; or what one must be allowed to do, on
 *
 * - `named`: the website that `website_id` of the query or the body names; without it, on every website;
 * - `target`: that of the thing the address names. Somewhere is enough here; the operation looks at the thing.
 */
type Access = "anyone" | "self" | { may: Action; on: "named" | "target" };

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** What a request with a body brings, if not JSON: a file as it is, and what is said of it stands in the query. */
    takes?: "file";
  }
  interface FastifyRequest {
    signedIn: SignedIn | null;
  }
}

export function requireAccess(app: AdminServer, admin: Admin): void {
  app.decorateRequest("signedIn", null);
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
    if (access !== "self") refuseEverywhere(signedIn, access.may);
  });
  app.addHook("preHandler", async (request) => {
    const access = accessOf(request);
    if (access === "anyone" || access === "self" || access.on === "target") return;
    refuseUnless(signedInOf(request).memberships, access.may, namedWebsite(request));
  });
}

function accessOf(request: Pick<FastifyRequest, "routeOptions">): Access {
  // Of an address that there is not, nothing can be done.
  return request.routeOptions.config.access ?? "anyone";
}

function refuseEverywhere({ memberships }: SignedIn, action: Action): void {
  if (memberships.some(({ websiteId }) => can(roleOn(memberships, websiteId), action))) return;
  refuseUnless([], action, null);
}

/** Of the one place where the route has it: of two, the guard and the handler might choose differently. */
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
  const type = req.headers["content-type"]?.replace(/\s*(?:;.*)?$/s, "").toLowerCase();
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
