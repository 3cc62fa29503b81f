import type { App } from "../../src/app/app.ts";
import { replaceMethods, type Store } from "../../src/store/store.ts";

/** For `startTestService`: replaces methods of the app's store with those from `change`. */
export function changeStore(change: (store: Store) => Partial<Store>): (app: App) => App {
  return (app) => ({ ...app, store: wrapStore(app.store, change(app.store)) });
}

/** The same store with the methods in `changed` replaced. Disposing it does not close the store. */
export function wrapStore(store: Store, changed: Partial<Store>): Store {
  return replaceMethods(store, { [Symbol.asyncDispose]: () => Promise.resolve(), ...changed });
}
