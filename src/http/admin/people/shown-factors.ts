/**
 * Checks that a session has shown a second factor where a website requires one. access.ts calls them as each route declares.
 */
import type { FastifyRequest } from "fastify";
import { ProofNeeded } from "../../../domain/system/errors.ts";
import { can, roleOn } from "../../../domain/people/permissions.ts";
import type { Deps } from "../../../operations/system/deps.ts";
import { hasFactor } from "../../../operations/people/second-factors.ts";
import { getSignedIn } from "../routes.ts";

/** What a route does with the second factors of the account that is signed in. */
export type OwnFactors = "untouched" | "added" | "removed";

/**
 * Call it once the role allows the action on the website; null: on all websites.
 *
 * @throws ProofNeeded when the website requires a second factor and the session has not shown one.
 */
export function requireSecondFactor(request: FastifyRequest, websiteId: string | null): void {
  const { withoutFactor } = getSignedIn(request);
  if (websiteId === null ? withoutFactor.size === 0 : !withoutFactor.has(websiteId)) return;
  throw new ProofNeeded(
    `${websiteId === null ? "A website here" : "This website"} asks its members for a second factor: set up an authenticator or a passkey under Account, or sign in with the one that you have.`,
  );
}

/**
 * Call it before making a link for an account or disabling one: both affect all websites of that account, so the check covers
 * every website whose members the user manages.
 *
 * @throws ProofNeeded when one of them requires a second factor and the session has not shown one.
 */
export function requireFactorOfManager(request: FastifyRequest): void {
  const { memberships, withoutFactor } = getSignedIn(request);
  const isAsked = [...withoutFactor].some((id) => can(roleOn(memberships, id), "members.manage"));
  if (isAsked) requireSecondFactor(request, null);
}

/**
 * Call it before adding or renewing a factor (a new one alone is enough to sign in, so an existing one must have been shown
 * first), and before removing one (otherwise a session without it could replace it with a factor of its own).
 *
 * @throws ProofNeeded when a website of the user requires a second factor and the session has not shown one.
 */
export async function requireOwnFactor(
  deps: Pick<Deps, "store">,
  request: FastifyRequest,
  factors: OwnFactors,
): Promise<void> {
  const { account, memberships, withoutFactor } = getSignedIn(request);
  if (factors === "untouched" || ![...withoutFactor].some((id) => roleOn(memberships, id) !== null)) return;
  if (factors === "added" && !(await hasFactor(deps, account.id))) return;
  throw new ProofNeeded(
    "A website of yours asks for a second factor: sign in with it before you remove it or add another.",
  );
}
