import type { Deps } from "../../src/operations/system/deps.ts";

/** The caller that generates event ids, among all callers of `newId` (src/operations/articles/write/transition.ts). */
const DRAWS_IT = /\bcreateCause\b/;

/** The same dependencies, except that the event of a change of an article gets this id, even if its transaction is retried. */
export function withEventId<D extends Pick<Deps, "newId">>(deps: D, eventId: string): D {
  return { ...deps, newId: () => (DRAWS_IT.test(new Error("who asks").stack ?? "") ? eventId : deps.newId()) };
}
