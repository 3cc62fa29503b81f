import type { Deps } from "../../src/operations/system/deps.ts";

/** Draws the id of an event, among all that a change draws ids for (src/operations/articles/articles.ts). */
const DRAWS_IT = /\bcauseOf\b/;

/** The same for one change of an article: its event gets that id, also in a transaction that is run again. */
export function withEventId<D extends Pick<Deps, "newId">>(deps: D, eventId: string): D {
  return { ...deps, newId: () => (DRAWS_IT.test(new Error("who asks").stack ?? "") ? eventId : deps.newId()) };
}
