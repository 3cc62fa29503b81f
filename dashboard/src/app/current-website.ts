/** Which website the dashboard shows: that of the address, else the last one, else the first. */
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";

const STORED = "rostrum.website";

/** @returns null when there is none, or not the one that the address names. */
export function chooseWebsite({ websites }: WhoAmI, named: string | undefined): string | null {
  const has = (id: string | null) => websites.some((website) => website.id === id);
  if (named !== undefined) return has(named) ? named : null;
  const last = localStorage.getItem(STORED);
  return has(last) ? last : (websites[0]?.id ?? null);
}

export function rememberWebsite(id: string): void {
  localStorage.setItem(STORED, id);
}
