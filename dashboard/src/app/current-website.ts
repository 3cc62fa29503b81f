/** Which website the dashboard shows: the one in the URL, else the last one shown, else the first. */
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";
import { LAST_WEBSITE } from "../api/session.ts";
import { readChoice, saveChoice } from "../api/stored-choice.ts";

/** @returns null if there is none, or the URL names another one. */
export function chooseWebsite({ websites }: WhoAmI, named: string | undefined): string | null {
  const has = (id: string | null) => websites.some((website) => website.id === id);
  if (named !== undefined) return has(named) ? named : null;
  const last = readChoice(LAST_WEBSITE);
  return has(last) ? last : (websites[0]?.id ?? null);
}

export function rememberWebsite(id: string): void {
  saveChoice(LAST_WEBSITE, id);
}
