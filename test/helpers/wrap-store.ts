import type { App } from "../../src/app.ts";
import type { Store } from "../../src/store/store.ts";

/** For `startTestService`: replaces methods of the app's store with those from `change`. */
export function changeStore(change: (store: Store) => Partial<Store>): (app: App) => App {
  return (app) => ({ ...app, store: wrapStore(app.store, change(app.store)) });
}

/** The same store with the methods in `changed` replaced. Disposing it does not close the store. */
export function wrapStore(store: Store, changed: Partial<Store>): Store {
  return {
    engine: store.engine,
    read: (work) => store.read(work),
    write: (work, options) => store.write(work, options),
    changeToken: (websiteId, now) => store.changeToken(websiteId, now),
    commitCounter: () => store.commitCounter(),
    onActivity: (listener) => store.onActivity(listener),
    noteCommit: (changes) => store.noteCommit(changes),
    follow: (onError) => store.follow(onError),
    now: (at) => store.now(at),
    clockSkewMs: () => store.clockSkewMs(),
    isLeader: () => store.isLeader(),
    openSnapshot: () => store.openSnapshot(),
    openDedicatedConnection: () => store.openDedicatedConnection(),
    openMigration: () => store.openMigration(),
    pool: () => store.pool(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    ...changed,
  };
}
