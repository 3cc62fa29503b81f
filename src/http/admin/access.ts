/**
 * Every route declares who may use it, and nobody else reaches its handler. The checks, in order: a change comes from
 * our own pages (against CSRF), a user or token is signed in, the role allows the action, a required second factor was
 * shown.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { AppError, ProofNeeded } from "../../domain/system/errors.ts";
import { assertScope } from "../../domain/people/access-token.ts";
import { type Action, assertAllowed, assertAllowedSomewhere, can, roleOn } from "../../domain/people/permissions.ts";
import { findSignedIn, type SignedIn } from "../../operations/people/sessions.ts";
import type { Snapshot } from "../../store/store.ts";
import { isSecure } from "../connection/proxies.ts";
import { readCookie } from "./cookie.ts";
import { RefusedAccess } from "./people/refused-access.ts";
import { type Admin, type AdminServer, getOrigin, getPerson, getSignedIn } from "./routes.ts";
import { asUuid } from "../../domain/articles/article.ts";
import { isSenderId } from "../../domain/articles/senders/sender.ts";
import { findWebsiteId } from "../../store/articles/articles.ts";
import { findAssetAnywhere } from "../../store/articles/assets.ts";
import { findArrivalAnywhere } from "../../store/articles/senders/arrivals.ts";
import { findSenderAnywhere } from "../../store/articles/senders/senders.ts";
import { findTokenAnywhere } from "../../store/people/access-tokens.ts";
import { findKeyAnywhere } from "../../store/people/api-keys.ts";
import { findMemberAnywhere } from "../../store/people/memberships.ts";
import { findWebsite } from "../../store/system/websites.ts";
import { findDeliveryAnywhere } from "../../store/webhooks/deliveries.ts";
import { findEndpointAnywhere } from "../../store/webhooks/endpoints.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { hasFactor } from "../../operations/people/second-factors.ts";

/**
 * Who may use a route:
 *
 * - `anyone`: no sign-in is needed.
 * - `own`: any signed-in user, on their own account; the value says what the route does with their second factors.
 * - `may`: users whose role allows this action on the website that `on` selects:
 *   - `named`: the website in `website_id` of the query or the body; without it, all websites;
 *   - a kind of resource: the website of the resource whose id is in the path. The operation checks the role itself for
 *     `member`, whose website may be all of them.
 *
 * A website may require a second factor, also for reading. `opensAccount`: the request opens or closes a whole account.
 */
type Access =
  | "anyone"
  | { own: OwnFactors }
  | {
      may: Action;
      on: "named" | ResourceKind;
      opensAccount?: boolean | ((request: Pick<FastifyRequest, "body">) => boolean);
    };

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** `file`: the body is a file, and parameters are in the query. `anything`: from any site; the body is ignored. */
    takes?: "file" | "anything";
    isStream?: boolean;
  }
  interface FastifyRequest {
    signedIn: SignedIn | null;
    /** The website that the request concerns, once known. */
    triedOn: string | null;
  }
}

/** How the routes of a mount learn who makes a request. */
export interface Authentication {
  /** Whether browsers send the credential by themselves: requests made by another site must then be refused. */
  isAutomatic: boolean;
  /** @throws AppError `unauthenticated`; TooManyTries. */
  authenticate: (
    admin: Admin,
    request: FastifyRequest,
    reply: FastifyReply,
    findWebsite: (db: Snapshot) => Promise<string | null | undefined>,
  ) => Promise<SignedIn>;
}

/** The dashboard's cookie. */
export const bySession: Authentication = {
  isAutomatic: true,
  authenticate: async ({ deps, publicUrl }, { raw }, _reply, findWebsite) => {
    const token = readCookie(raw, isSecure(raw, publicUrl));
    const signedIn = token === undefined ? undefined : await findSignedIn(deps, token, findWebsite);
    if (signedIn !== undefined) return signedIn;
    throw new AppError("unauthenticated", "You are not signed in, or your session has ended: sign in.");
  },
};

/** Applies to all routes of `app`, which answers at `prefix`. */
export function requireAccess(
  app: AdminServer,
  admin: Admin,
  { prefix, authentication }: { prefix: string; authentication: Authentication },
): void {
  const refused = new RefusedAccess(admin.deps);
  app.addHook("onError", async (request, _reply, error) => {
    if (request.signedIn === null || !(error instanceof AppError) || error.code !== "forbidden") return;
    if (error instanceof ProofNeeded) return;
    const route = `${request.method} ${request.routeOptions.url?.slice(prefix.length - 1) ?? ""}`;
    try {
      const target = "token" in request.signedIn ? "token" : "account";
      await refused.note(getOrigin(admin, request), target, route, request.triedOn ?? onlyWebsite(request.signedIn));
    } catch (cause) {
      admin.onError(cause, "a refused request could not be recorded in the audit log");
    }
  });
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`${String(method)} ${url} does not say who may use it`);
  });
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("Cache-Control", "no-store");
    if (authentication.isAutomatic) assertSameSite(request, admin.publicUrl);
    const access = getAccess(request);
    if (access === "anyone") return;
    const signedIn = await authentication.authenticate(admin, request, reply, (db) => findRequestWebsite(db, request));
    request.signedIn = signedIn;
    if ("own" in access) {
      await requireOwnFactor(admin.deps, request, access.own);
      return;
    }
    request.triedOn = access.on === "named" ? namedWebsite(request) : null;
    if ("token" in signedIn) assertScope(signedIn.token, access.may);
    assertAllowedSomewhere(signedIn.memberships, access.may);
  });
  app.addHook("preHandler", async (request) => {
    const access = getAccess(request);
    if (access === "anyone" || "own" in access) return;
    requireWebsite(request, access);
    const { opensAccount = false } = access;
    if (opensAccount === true || (opensAccount !== false && opensAccount(request))) requireFactorOfManager(request);
  });
}

/** Checks the role on the website that the request concerns, and the second factor that the website may require. */
function requireWebsite(request: FastifyRequest, { may, on }: Extract<Access, { may: Action }>): void {
  const { memberships, resourceWebsite } = getSignedIn(request);
  if (on === "member") {
    if (resourceWebsite !== undefined) requireSecondFactor(request, resourceWebsite);
    return;
  }
  if (on === "named") {
    request.triedOn = namedWebsite(request);
  } else {
    if (resourceWebsite === undefined) throw noSuchResource(on);
    request.triedOn = resourceWebsite;
    if (roleOn(memberships, resourceWebsite) === null) throw noSuchResource(on);
  }
  assertMay(getSignedIn(request), may, request.triedOn);
  requireSecondFactor(request, request.triedOn);
}

/** @throws AppError `forbidden`, naming the role, or the scope of an access token, that is needed. */
function assertMay(signedIn: SignedIn, action: Action, websiteId: string | null): void {
  if ("token" in signedIn) assertScope(signedIn.token, action);
  assertAllowed(signedIn.memberships, action, websiteId);
}

async function findRequestWebsite(db: Snapshot, request: FastifyRequest): Promise<string | null | undefined> {
  const access = getAccess(request);
  if (access === "anyone" || "own" in access || access.on === "named") return undefined;
  return findResourceWebsite(db, access.on, getIdParam(request));
}

function getIdParam({ params }: FastifyRequest): string {
  const id = typeof params === "object" && params !== null && "id" in params ? params.id : undefined;
  if (typeof id !== "string") throw new Error("the address of a route on a thing names none");
  return id;
}

function getAccess(request: Pick<FastifyRequest, "routeOptions">): Access {
  // An unknown path needs no protection: it is a 404 for everybody.
  return request.routeOptions.config.access ?? "anyone";
}

/** The website of a user with a single membership; else null. */
function onlyWebsite({ memberships }: SignedIn): string | null {
  return memberships.length === 1 ? (memberships[0]?.websiteId ?? null) : null;
}

/** The part with `website_id`: query or body, never both, so that this check and the handler cannot disagree. */
export function getNamingPart({ method, query, body, routeOptions }: FastifyRequest): unknown {
  const isInQuery =
    method === "GET" || method === "HEAD" || method === "DELETE" || routeOptions.config.takes === "file";
  return isInQuery ? query : body;
}

function namedWebsite(request: FastifyRequest): string | null {
  const part = getNamingPart(request);
  const hasName = typeof part === "object" && part !== null && "website_id" in part;
  return hasName && typeof part.website_id === "string" ? part.website_id : null;
}

/**
 * Refuses changes from another site. Browsers name it in `Sec-Fetch-Site`, which no page can change, or, older ones and
 * those on plain http, in `Origin`. A client that sends neither is no browser, and must set `Origin`. @throws AppError
 * `forbidden`.
 */
function assertSameSite(
  { raw: req, routeOptions }: Pick<FastifyRequest, "raw" | "routeOptions">,
  publicUrl: string | null,
): void {
  if (req.method === "GET" || req.method === "HEAD" || routeOptions.config.takes === "anything") return;
  const site = req.headers["sec-fetch-site"];
  const isOurs = site === undefined ? isOwnOrigin(req, publicUrl) : site === "same-origin" || site === "none";
  if (!isOurs) {
    throw new AppError("forbidden", "This request comes from another site; send it from the dashboard's own pages.");
  }
  // Forms on other sites cannot send JSON or an octet stream, and scripts there cannot without a CORS preflight.
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

/** Finds the website of a resource named in a path, by the noun that messages use. Null: a member of all websites. */
const FIND_WEBSITE = {
  article: findWebsiteId,
  picture: async (db, id) => (await findAssetAnywhere(db, id))?.websiteId,
  "API key": async (db, id) => (await findKeyAnywhere(db, id))?.websiteId,
  "access token": async (db, id) => (await findTokenAnywhere(db, id))?.websiteId,
  sender: async (db, id) => {
    const sender = await findSenderAnywhere(db, id);
    return sender?.deletedAt === null ? sender.websiteId : undefined;
  },
  arrival: async (db, id) => (await findArrivalAnywhere(db, id))?.websiteId,
  webhook: async (db, id) => (await findEndpointAnywhere(db, id))?.websiteId,
  delivery: async (db, id) => (await findDeliveryAnywhere(db, id))?.websiteId,
  website: async (db, id) => (await findWebsite(db, id))?.id,
  member: async (db, id) => (await findMemberAnywhere(db, id))?.websiteId,
} as const satisfies Record<string, (db: Snapshot, id: string) => Promise<string | null | undefined>>;

type ResourceKind = keyof typeof FIND_WEBSITE;

/** @returns the website that the resource belongs to; undefined if there is no such resource. */
async function findResourceWebsite(db: Snapshot, kind: ResourceKind, id: string): Promise<string | null | undefined> {
  // Called before the route's schema has checked the path.
  return asUuid(id) === id || (kind === "sender" && isSenderId(id)) ? FIND_WEBSITE[kind](db, id) : undefined;
}

/** The same message whether the resource does not exist or belongs to a website that the user is not a member of. */
function noSuchResource(kind: ResourceKind): AppError {
  return new AppError("not_found", `There is no ${kind} with this id; it may have been deleted.`);
}

/** What a route does with the second factors of the account that is signed in. */
type OwnFactors = "untouched" | "added" | "removed";

/**
 * Call it once the role allows it; null: on all websites. @throws ProofNeeded for a required factor that was not shown.
 */
function requireSecondFactor(request: FastifyRequest, websiteId: string | null): void {
  const { withoutFactor } = getSignedIn(request);
  if (websiteId === null ? withoutFactor.size === 0 : !withoutFactor.has(websiteId)) return;
  throw new ProofNeeded(
    `${websiteId === null ? "A website here" : "This website"} requires a second factor: set up an authenticator or a passkey under Account, or sign in with the one that you have.`,
  );
}

/** Call it before changes to an account. @throws ProofNeeded if a website that the user manages requires a factor. */
function requireFactorOfManager(request: FastifyRequest): void {
  const { memberships, withoutFactor } = getSignedIn(request);
  const isAsked = [...withoutFactor].some((id) => can(roleOn(memberships, id), "members.manage"));
  if (isAsked) requireSecondFactor(request, null);
}

/**
 * Call it before adding or renewing a factor (a new one alone is enough to sign in), and before removing one (a session
 * without it could put its own in its place). @throws ProofNeeded as `requireSecondFactor`.
 */
async function requireOwnFactor(
  deps: Pick<Deps, "store">,
  request: FastifyRequest,
  factors: OwnFactors,
): Promise<void> {
  const { account, memberships, withoutFactor } = getPerson(request);
  if (factors === "untouched" || ![...withoutFactor].some((id) => roleOn(memberships, id) !== null)) return;
  if (factors === "added" && !(await hasFactor(deps, account.id))) return;
  throw new ProofNeeded(
    "One of your websites requires a second factor: sign in with it before you remove it or add another.",
  );
}
