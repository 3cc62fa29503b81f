import type { App } from "../../src/app/app.ts";
import { replaceMethods, type Database } from "../../src/store/store.ts";

/** For `startTestService`: replaces methods of the app's store with those from `change`. */
export function changeStore(change: (store: Database) => Partial<Database>): (app: App) => App {
  return (app) => ({ ...app, store: wrapStore(app.store, change(app.store)) });
}

/** The same store with the methods in `changed` replaced. Disposing it does not close the store. */
export function wrapStore(store: Database, changed: Partial<Database>): Database {
  return replaceMethods(store, { [Symbol.asyncDispose]: () => Promise.resolve(), ...changed });
}
