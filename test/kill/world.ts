/** What a kill loop works on: a data folder, a website with endpoints of different kinds, and their receiver. */
import { randomBytes } from "node:crypto";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint, type NewEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { tempFolder } from "../helpers/folder.ts";
import { Journal } from "./journal.ts";
import { Receiver, type ReceiverOptions } from "./receiver.ts";

export interface World extends AsyncDisposable {
  journal: Journal;
  receiver: Receiver;
  settings: Record<string, string>;
  /** The SQLite database file. */
  databasePath: string;
  websiteId: string;
  /** By endpoint. */
  secrets: Record<string, string>;
}

/** The attempts of a delivery under the settings below. A wait is at most a fifth shorter than its setting. */
export const ATTEMPTS = { attempts: 4, lastWaitMs: 800 };

const KINDS: Record<string, Omit<NewEndpoint, "url">> = {
  all: {},
  thin: { payload: "thin", events: ["article.published", "article.deleted"] },
  own: { headers: { "X-Tenant": "blue" }, events: ["article.updated", "article.deleted"] },
  coalesced: { coalesceMs: 60 },
};

/** @param database `DATABASE_URL`; absent: SQLite in the data folder. */
export async function makeWorld(
  { behave, nodeOf }: Pick<ReceiverOptions, "behave" | "nodeOf">,
  database?: string,
): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const journal = new Journal(() => performance.now());
  const receiver = opened.use(await Receiver.start({ journal, behave, ...(nodeOf === undefined ? {} : { nodeOf }) }));
  // The deadline stays at 10 s: with less, a process on a busy machine would give up attempts that were answered.
  const settings = {
    ROSTRUM_DATA_DIR: folder.path,
    ROSTRUM_SECRET_KEY: randomBytes(32).toString("hex"),
    ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
    ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
    ROSTRUM_WEBHOOK_RETRY_SECONDS: "0,0,1",
    ROSTRUM_WEBHOOK_DISABLE_AFTER: "1000",
    ROSTRUM_CACHE_MB: "4",
    PORT: "0",
    ...(database === undefined ? {} : { DATABASE_URL: database }),
  };
  const config = readConfig(settings, folder.path);
  await using app = await openApp(config);
  const website = await createWebsite(app, { name: "Kill", url: "https://example.com", urlPattern: null }, CLI_ORIGIN);
  const secrets: Record<string, string> = {};
  for (const [name, kind] of Object.entries(KINDS)) {
    const { endpoint, secret } = await createEndpoint(
      app,
      website.id,
      { ...kind, url: receiver.url(name) },
      CLI_ORIGIN,
    );
    receiver.expect(name, { id: endpoint.id, secret });
    secrets[endpoint.id] = secret;
  }
  const owned = opened.move();
  return {
    journal,
    receiver,
    settings,
    databasePath: `${folder.path}/rostrum.db`,
    websiteId: website.id,
    secrets,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
