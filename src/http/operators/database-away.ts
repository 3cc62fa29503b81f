import { AppError } from "../../domain/system/errors.ts";
import { type ChangeFeed, type Database, replaceMethods, type Store } from "../../store/store.ts";

const FIRST_CHECK_MS = 100;
const CHECK_INTERVAL_MS = 50;
/** Consecutive checks that must find the database unreachable. */
const CHECKS = 2;

/** Queries to a silent database would keep the caller waiting for a minute. @throws AppError `unavailable`. */
export async function failFastIfDatabaseDown<T>(
  store: Pick<Store & ChangeFeed, "engine" | "changeToken">,
  work: Promise<T>,
): Promise<T> {
  if (store.engine === "sqlite") return work;
  const { promise: away, reject } = Promise.withResolvers<never>();
  let found = 0;
  const plan = (ms: number) => {
    const dueAt = performance.now() + ms;
    return setTimeout(() => {
      // A late check shows that this process was blocked, and says nothing about what has arrived meanwhile.
      const isOnTime = performance.now() - dueAt < CHECK_INTERVAL_MS;
      found = isOnTime && Number.isNaN(store.changeToken("")) ? found + 1 : 0;
      if (found === CHECKS) reject(new AppError("unavailable", "The database does not answer."));
      else timer = plan(CHECK_INTERVAL_MS);
    }, ms);
  };
  let timer = plan(FIRST_CHECK_MS);
  try {
    return await Promise.race([work, away]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads fail, and no write begins, once the database is unreachable. One in progress may still be committed. */
export function failFastStore(store: Database): Database {
  if (store.engine === "sqlite") return store;
  return replaceMethods(store, {
    read: (work, options) => failFastIfDatabaseDown(store, store.read(work, options)),
    write: async (work, options) => {
      if (Number.isNaN(store.changeToken(""))) {
        const ping = store.read(async () => undefined);
        await failFastIfDatabaseDown(store, ping);
      }
      return store.write(work, options);
    },
  });
}
