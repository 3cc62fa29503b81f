/** Loads the website that a request names. */
import { AppError } from "../../domain/system/errors.ts";
import type { Website } from "../../domain/system/website.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { findWebsite, findWebsiteToChange } from "../../store/system/websites.ts";

/** @throws AppError `not_found`. */
export async function loadWebsite(db: Snapshot, id: string): Promise<Website> {
  return (await findWebsite(db, id)) ?? refuseUnknownWebsite(id);
}

/** Like `loadWebsite`, and locks the website until the transaction ends. @throws AppError `not_found`. */
export async function loadWebsiteToChange(db: Writer, id: string): Promise<Website> {
  return (await findWebsiteToChange(db, id)) ?? refuseUnknownWebsite(id);
}

function refuseUnknownWebsite(id: string): never {
  throw new AppError("not_found", `There is no website with the id or name ${id}; "rostrum website list" shows all.`);
}
