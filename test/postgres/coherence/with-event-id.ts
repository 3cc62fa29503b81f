import type { App } from "../../../src/app.ts";
import { wrapStore } from "../../helpers/wrap-store.ts";

/**
 * The same app, for one change of an article whose id is given: its event gets that id. The operations draw the event's id
 * first; again in a transaction that is run again.
 */
export function withEventId(app: App, eventId: string): App {
  let ids: string[] = [];
  const store = wrapStore(app.store, {
    write: (work, options) =>
      app.store.write((db) => {
        ids = [eventId];
        return work(db);
      }, options),
  });
  return { ...app, store, newId: () => ids.pop() ?? app.newId() };
}
