/** The resources that paths name by an id, and the websites that they belong to. */
import { AppError } from "../../domain/system/errors.ts";
import { readKey } from "../../operations/people/api-keys.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { websiteOfDelivery } from "../../operations/webhooks/deliveries.ts";
import { readEndpoint } from "../../operations/webhooks/endpoints.ts";
import { readAsset } from "../../operations/articles/assets.ts";
import { websiteOfArticle } from "../../operations/articles/article-review.ts";
import { readWebsite } from "../../operations/system/websites.ts";

/** Looks up a resource's website; the keys are the nouns that messages use. @throws AppError `not_found`. */
const WEBSITE_OF = {
  article: websiteOfArticle,
  picture: async (deps, id) => (await readAsset(deps, id)).websiteId,
  "API key": async (deps, id) => (await readKey(deps, id)).websiteId,
  webhook: async (deps, id) => (await readEndpoint(deps, id)).websiteId,
  delivery: websiteOfDelivery,
  website: async (deps, id) => (await readWebsite(deps, id)).id,
} as const satisfies Record<string, (deps: Pick<Deps, "store">, id: string) => Promise<string>>;

export type Target = keyof typeof WEBSITE_OF;

/** @returns the website that the resource belongs to; undefined if there is no such resource. */
export async function websiteOfTarget(
  deps: Pick<Deps, "store">,
  target: Target,
  id: string,
): Promise<string | undefined> {
  try {
    return await WEBSITE_OF[target](deps, id);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** The same message whether the resource does not exist or belongs to a website that the user is not a member of. */
export function noSuchTarget(target: Target): AppError {
  return new AppError("not_found", `There is no ${target} with this id; it may have been deleted.`);
}
