/** Access tokens as `Authorization: Bearer rm_…`. Cookies and `Origin` are not read: no browser sends a token. */
import { randomUUID } from "node:crypto";
import { ROLE_OF_SCOPE } from "../../domain/people/access-token.ts";
import { AppError } from "../../domain/system/errors.ts";
import { findMachine } from "../../operations/people/access-tokens.ts";
import type { SignedInMachine } from "../../operations/people/sessions.ts";
import { type Authentication, getNamingPart } from "../admin/access.ts";
import { type AdminServer, getSignedIn } from "../admin/routes.ts";
import { getClientAddress } from "../connection/proxies.ts";

export const byToken: Authentication = {
  isAutomatic: false,
  authenticate: async ({ deps, publicUrl, throttle }, { raw, headers }, reply, findWebsite) => {
    const [, secret] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    const signedIn = secret === undefined ? undefined : await findMachine(deps, secret, findWebsite);
    if (signedIn === undefined) {
      throttle.spend([["stranger", getClientAddress(raw, publicUrl)]]);
      void reply.header("WWW-Authenticate", "Bearer");
      throw new AppError("unauthenticated", reason(secret));
    }
    const restricted = headers[NO_PUBLISHING];
    if (restricted !== OF_COUNTED) throttle.spend([["token", signedIn.id]]);
    return restricted === undefined ? signedIn : withoutPublishing(signedIn);
  },
};

/** Header of requests that may do no more than the scope `draft`, as all that agents cause. */
export const NO_PUBLISHING = "x-rostrum-no-publishing";
/** The header's value in requests of this process: parts of one that the token's rate has counted. */
export const OF_COUNTED: string = randomUUID();

function withoutPublishing(signedIn: SignedInMachine): SignedInMachine {
  const { token } = signedIn;
  if (token.scope !== "publish") return signedIn;
  const memberships = [{ websiteId: token.websiteId, role: ROLE_OF_SCOPE.draft }];
  return { ...signedIn, token: { ...token, scope: "draft" }, memberships };
}

function reason(secret: string | undefined): string {
  return secret === undefined
    ? "Send an access token, in the header Authorization: Bearer rm_…; owners make them in the dashboard, under Settings."
    : "This access token is unknown, was revoked or has expired; owners make another in the dashboard, under Settings.";
}

/** Adds the token's website where a route expects `website_id`, so that requests need not name it. */
export function addWebsite(routes: AdminServer): void {
  routes.addHook("preValidation", async (request) => {
    const { access } = request.routeOptions.config;
    if (typeof access !== "object" || !("may" in access) || access.on !== "named") return;
    const part = getNamingPart(request);
    // A long body is not parsed here: the dashboard's thread does all of this again.
    if (typeof part !== "object" || part === null || Buffer.isBuffer(part)) return;
    const websiteId = getSignedIn(request).memberships[0]?.websiteId;
    if ("website_id" in part && part.website_id !== websiteId)
      throw new AppError("forbidden", "This access token belongs to another website.", { field: "website_id" });
    Object.assign(part, { website_id: websiteId });
  });
}
