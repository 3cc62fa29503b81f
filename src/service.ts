/** Wires the service: store → operations → http, and what is done again and again. Disposes in reverse. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "./app.ts";
import type { Config } from "./config.ts";
import { startDispatching } from "./dispatching.ts";
import { KEY_SCOPES } from "./domain/api-key.ts";
import { AppError } from "./domain/errors.ts";
import { apiUrl } from "./domain/event.ts";
import { ReadMetrics, WebhookMetrics } from "./http/metrics.ts";
import { Delivery } from "./http/public/delivery.ts";
import { KeyRing } from "./http/public/key-auth.ts";
import { ResponseCache } from "./http/public/response-cache.ts";
import { buildServer } from "./http/server.ts";
import type { Log } from "./log.ts";
import { DueArticles } from "./operations/due-articles.ts";
import { measureDeliveries } from "./operations/queue-upkeep.ts";
import { Catalog } from "./operations/catalog.ts";
import { Outbox } from "./operations/mails.ts";
import { findMark } from "./store/copying.ts";
import { pendingMigrations } from "./store/migrations.ts";
import type { Store } from "./store/store.ts";
import { every } from "./upkeep.ts";
import { VERSION } from "./version.ts";

const DESCRIPTION = join(import.meta.dirname, "..", "openapi.json");

/** Of the memory for caches, what list forms and orders get; the rest is prepared answers. */
const CATALOG_SHARE = 0.3;
const REFRESH_EVERY_MS = 250;
/** Short enough for another node to publish what a killed one was to, within 2 s: it is known to be dead after 1.5 s. */
const PUBLISH_DUE_EVERY_MS = 250;
const SEND_MAILS_EVERY_MS = 1_000;

export interface Service extends AsyncDisposable {
  /** Where it listens, e.g. `http://127.0.0.1:4000`. */
  url: string;
}

/** Starts to serve. @throws AppError when the address cannot be listened on, or the database is an unfinished copy. */
export async function startService(app: App, log: Log): Promise<Service> {
  const { config, store } = app;
  await refuseUnfinishedCopy(store);
  const catalogBytes = Math.floor(config.cacheBytes * CATALOG_SHARE);
  const cache = new ResponseCache(config.cacheBytes - catalogBytes);
  const catalog = new Catalog({
    store,
    cacheBytes: catalogBytes,
    onChange: (websiteId, articleIds) => {
      for (const scope of KEY_SCOPES) {
        for (const id of articleIds) cache.drop(websiteId, scope, apiUrl(id));
      }
    },
  });
  const keys = new KeyRing({
    deps: app,
    defaultRate: config.rateLimit,
    shelf: (websiteId, scope) => cache.shelf(websiteId, scope),
    onError: (error) => log.error(error, "the last use of API keys was not written down"),
  });
  const metrics = new ReadMetrics();
  let description: Buffer | undefined;
  const readDescription = () => (description ??= readFileSync(DESCRIPTION));
  let isDraining = false;
  const delivery = new Delivery({
    catalog,
    keys,
    cache,
    metrics,
    log,
    node: nodeName(),
    description: readDescription,
  });
  const webhooks = new WebhookMetrics();
  const server = await buildServer({
    delivery,
    metrics: { reads: metrics, webhooks, queue: () => measureDeliveries(app), version: VERSION },
    log,
    docs: { description: readDescription, randomBytes },
    dashboard: { randomBytes },
    admin: {
      deps: app,
      catalog,
      readImport: async function* (file, options) {
        // Loaded when the first file is dropped.
        const { readDropped } = await import("./importers/import-source.ts");
        yield* readDropped(file, options);
      },
      publicUrl: config.publicUrl,
      disableAfter: config.webhooks.disableAfter,
      onError: (error, message) => log.error(error, message),
    },
    health: {
      version: VERSION,
      notReady: async () => {
        if (isDraining) return "draining";
        // It has not reached the database lately, and to ask might take long.
        if (Number.isNaN(store.freshness(""))) return "database unavailable";
        try {
          return (await store.read(pendingMigrations)).length === 0 ? null : "migrations pending";
        } catch {
          return "database unavailable";
        }
      },
    },
  });
  const following = await store.follow((error, message) => log.error(error, message));
  const url = await listen(server, config).catch(async (error: unknown) => {
    await following[Symbol.asyncDispose]();
    throw error;
  });
  const dueArticles = new DueArticles(app);
  const upkeep = [
    every(REFRESH_EVERY_MS, () => catalog.refresh(), log),
    every(
      PUBLISH_DUE_EVERY_MS,
      async () => {
        const published = await dueArticles.publish();
        if (published > 0) log.info({ published }, "scheduled articles published");
      },
      log,
    ),
  ];
  const outbox = outboxOf(app, log);
  if (outbox !== undefined) upkeep.push(every(SEND_MAILS_EVERY_MS, () => outbox.look(), log));
  const dispatching = startDispatching(app, log, (note) => {
    webhooks.observe(note);
    // The store is silent about what the thread writes.
    if (note.hasDisabled || note.warning !== null) outbox?.wake();
  });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      await using _following = following;
      isDraining = true;
      outbox?.stop();
      // Balancers find another process meanwhile; what is under way of webhooks comes to its end.
      const dispatched = dispatching[Symbol.asyncDispose]();
      await sleep(config.drainMs);
      await server.close();
      for (const task of upkeep) await task[Symbol.asyncDispose]();
      await dispatched;
      await keys.flush().catch((error: unknown) => log.error(error, "the last use of API keys was not written down"));
    },
  };
}

/** Undefined: no mails go out. */
function outboxOf({ store, clock, secrets, mail }: App, log: Log): Outbox | undefined {
  if (mail === null) return undefined;
  return new Outbox({ deps: { store, clock, secrets, mail }, onError: (error, message) => log.error(error, message) });
}

/** Half a queue would be sent from it, and half of the articles shown. */
async function refuseUnfinishedCopy(store: Store): Promise<void> {
  if ((await store.read(findMark)) === undefined) return;
  throw new AppError(
    "conflict",
    'This database is a copy that "rostrum migrate-store" has not finished: run that again, then start the service.',
  );
}

function nodeName(): string {
  return `${hostname()
    .slice(0, 20)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")}-${randomBytes(3).toString("hex")}`;
}

async function listen(
  server: Awaited<ReturnType<typeof buildServer>>,
  { host, port }: Pick<Config, "host" | "port">,
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new AppError(
        "conflict",
        `Port ${port} on ${host} is in use by another program: stop it, or choose another port, as in PORT=${port + 1}.`,
        { cause: error },
      );
    }
    if (code === "EACCES") {
      throw new AppError("misconfigured", `This user may not listen on port ${port}: choose one above 1023 with PORT.`);
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new AppError("misconfigured", `HOST is "${host}", which is not an address of this machine.`);
    }
    throw error;
  }
}
