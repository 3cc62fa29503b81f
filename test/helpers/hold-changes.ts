import type { App } from "../../src/app/app.ts";

/** Lets no article of the website change until it is disposed of. */
export async function holdChanges({ store }: Pick<App, "store">, websiteId: string): Promise<AsyncDisposable> {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = store.write(async (db) => {
    await db.run("UPDATE websites SET name = name WHERE id = ?", websiteId);
    begun.resolve();
    await released.promise;
  });
  await Promise.race([begun.promise, holding]);
  return {
    [Symbol.asyncDispose]: async () => {
      released.resolve();
      await holding;
    },
  };
}
