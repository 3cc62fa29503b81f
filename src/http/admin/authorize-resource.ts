/** The resources that paths name by an id, and the websites that they belong to. */
import { asUuid } from "../../domain/articles/json-values.ts";
import { AppError } from "../../domain/system/errors.ts";
import { findWebsiteId } from "../../store/articles/articles.ts";
import { findAssetAnywhere } from "../../store/articles/assets.ts";
import { findKeyAnywhere } from "../../store/people/api-keys.ts";
import { findMemberAnywhere } from "../../store/people/memberships.ts";
import type { Reader } from "../../store/store.ts";
import { findWebsite } from "../../store/system/websites.ts";
import { findDeliveryAnywhere } from "../../store/webhooks/deliveries.ts";
import { findEndpointAnywhere } from "../../store/webhooks/endpoints.ts";

/** Finds a resource's website; the keys are the nouns that messages use. A member may belong to all websites: null. */
const FIND_WEBSITE = {
  article: findWebsiteId,
  picture: async (db, id) => (await findAssetAnywhere(db, id))?.websiteId,
  "API key": async (db, id) => (await findKeyAnywhere(db, id))?.websiteId,
  webhook: async (db, id) => (await findEndpointAnywhere(db, id))?.websiteId,
  delivery: async (db, id) => (await findDeliveryAnywhere(db, id))?.websiteId,
  website: async (db, id) => (await findWebsite(db, id))?.id,
  member: async (db, id) => (await findMemberAnywhere(db, id))?.websiteId,
} as const satisfies Record<string, (db: Reader, id: string) => Promise<string | null | undefined>>;

export type ResourceKind = keyof typeof FIND_WEBSITE;

/** @returns the website that the resource belongs to; undefined if there is no such resource. */
export async function findResourceWebsite(
  db: Reader,
  kind: ResourceKind,
  id: string,
): Promise<string | null | undefined> {
  // Called before the route's schema has checked the path.
  return asUuid(id) === id ? FIND_WEBSITE[kind](db, id) : undefined;
}

/** The same message whether the resource does not exist or belongs to a website that the user is not a member of. */
export function noSuchResource(kind: ResourceKind): AppError {
  return new AppError("not_found", `There is no ${kind} with this id; it may have been deleted.`);
}
