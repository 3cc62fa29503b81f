import { AppError } from "../domain/errors.ts";
import { parseUrlPattern, parseWebsiteUrl, type Website } from "../domain/website.ts";
import { insertWebsite, listWebsites as listRows } from "../store/websites.ts";
import type { Deps } from "./deps.ts";
import { loadWebsite } from "./saving.ts";

export interface NewWebsite {
  name: string;
  url: string | null;
  urlPattern: string | null;
}

/** @throws AppError `invalid`. */
export async function createWebsite(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes">,
  input: NewWebsite,
): Promise<Website> {
  const name = input.name.trim();
  if (name === "" || name.length > 200) {
    throw new AppError("invalid", "A website needs a name of 1 to 200 characters.", { field: "name" });
  }
  const website: Website = {
    id: deps.newId(),
    name,
    url: input.url === null ? null : parseWebsiteUrl(input.url),
    urlPattern: input.urlPattern === null ? null : parseUrlPattern(input.urlPattern),
    createdAt: deps.clock(),
    contentVersion: 1,
    eventSequence: 0,
    epoch: newEpoch(deps),
  };
  await deps.store.write((db) => insertWebsite(db, website));
  return website;
}

/**
 * The website of that id, or of that name where exactly one has it.
 *
 * @throws AppError `not_found`; `conflict` when several have the name.
 */
export function getWebsite(deps: Pick<Deps, "store">, idOrName: string): Promise<Website> {
  return deps.store.read(async (db) => {
    const [first, second] = (await listRows(db)).filter(({ id, name }) => id !== idOrName && name === idOrName);
    if (first === undefined) return loadWebsite(db, idOrName);
    if (second === undefined) return first;
    throw new AppError("conflict", `Several websites have the name "${idOrName}"; use the id of the one you mean.`);
  });
}

export function listWebsites(deps: Pick<Deps, "store">): Promise<Website[]> {
  return deps.store.read(listRows);
}

export function newEpoch(deps: Pick<Deps, "randomBytes">): string {
  return deps.randomBytes(6).toString("base64url");
}
