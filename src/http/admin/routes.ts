import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  FastifyTypeProvider,
  RawServerDefault,
} from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Static, TSchema } from "typebox";
import type { FullArticle } from "../../domain/articles/article.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { can, roleOn } from "../../domain/people/permissions.ts";
import type { Actor, Deps, PollingDeps } from "../../operations/system/deps.ts";
import type { SignInDeps } from "../../operations/people/sign-in.ts";
import type { SignedIn, SignedInPerson } from "../../operations/people/sessions.ts";
import { formatTraceparent } from "../../domain/system/trace-context.ts";
import { readTrace } from "../request.ts";
import { getBaseUrl, getClientAddress } from "../connection/proxies.ts";
import type { Throttle } from "./people/throttle.ts";

/** How an API shows one article. */
export interface ArticleForm {
  schema: TSchema;
  /** `saved`: as the request has just saved it, so that its text is not read again. */
  show: (admin: Admin, request: FastifyRequest, id: string, saved?: FullArticle) => Promise<unknown>;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Runs in the transaction of each change that the request makes to an article. */
    inTransaction: NonNullable<Actor["inTransaction"]> | null;
  }
}

export interface Admin {
  /** What requests on one article answer. */
  form: ArticleForm;
  deps: Deps & PollingDeps & SignInDeps;
  disableAfter: number;
  /** How long articles stay in the trash; null: forever. */
  trashMs: number | null;
  publicUrl: string | null;
  throttle: Throttle;
  /** Reports failures that concern no request. */
  onError: (error: unknown, message: string) => void;
  /** Aborted when the service stops, which ends responses that would stay open. */
  stopping: AbortSignal;
}

interface ByContract extends FastifyTypeProvider {
  validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  serializer: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
}

export type AdminServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ByContract
>;

/** Who makes the request; access.ts guarantees that there is somebody. */
export function getSignedIn(request: Pick<FastifyRequest, "signedIn">): SignedIn {
  if (request.signedIn === null) throw new Error("a route for those who are signed in was reached by somebody else");
  return request.signedIn;
}

/** Who makes the request, on a route that access tokens do not reach. */
export function getPerson(request: Pick<FastifyRequest, "signedIn">): SignedInPerson {
  const signedIn = getSignedIn(request);
  if (!("session" in signedIn)) throw new Error("a route for people was reached by an access token");
  return signedIn;
}

export function getOrigin(admin: Admin, request: FastifyRequest): Origin {
  return { actor: getSignedIn(request).id, address: getClientAddress(request.raw, admin.publicUrl) };
}

/** The website that a request concerns, as access.ts has found it. */
export function getWebsiteId({ triedOn }: Pick<FastifyRequest, "triedOn">): string {
  if (triedOn === null) throw new Error("a route on one website was reached without one");
  return triedOn;
}

export function getActor(admin: Admin, request: FastifyRequest): Actor {
  const { actor, address } = getOrigin(admin, request);
  const signedIn = getSignedIn(request);
  const trace = readTrace(request.raw);
  return {
    id: actor,
    address,
    ...(trace === undefined ? {} : { traceparent: formatTraceparent(trace) }),
    ...("token" in signedIn ? { isMachine: true } : {}),
    ...(request.inTransaction === null ? {} : { inTransaction: request.inTransaction }),
    ...("session" in signedIn ? toReviewer(admin, request, signedIn) : {}),
    mayApprove: can(roleOn(signedIn.memberships, getWebsiteId(request)), "articles.approve"),
  };
}

function toReviewer(
  { publicUrl }: Admin,
  request: FastifyRequest,
  { account, session, memberships }: SignedInPerson,
): Pick<Actor, "reviewer"> {
  const role = roleOn(memberships, getWebsiteId(request));
  if (role === null) return {};
  const signedInWith = session.hasSecondFactor ? "two_factors" : "one_factor";
  return { reviewer: { name: account.name, role, signedInWith, issuer: getBaseUrl(request.raw, publicUrl) } };
}
