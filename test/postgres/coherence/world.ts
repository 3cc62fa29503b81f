/** Nodes on a new database, and the app as commands open it. */
import { Client } from "pg";
import { type App, openApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import type { Website } from "../../../src/domain/system/website.ts";
import { createKey, type NewKey } from "../../../src/operations/people/api-keys.ts";
import { createWebsite } from "../../../src/operations/website/websites.ts";
import { testDatabase } from "../../helpers/database.ts";
import { tempFolder } from "../../helpers/folder.ts";
import type { Reply, SendOptions } from "../../helpers/http.ts";
import { Node, SHARED } from "./nodes.ts";

export interface World extends AsyncDisposable {
  app: App;
  /** The first one was started first, so it is the leader. */
  nodes: [Node, Node, Node];
  databaseUrl: string;
  website: Website;
  /** A key of scope `all`. */
  key: string;
  newKey(input?: Partial<NewKey>): Promise<{ id: string; secret: string }>;
  get(node: Node, path: string, headers?: SendOptions["headers"]): Promise<Reply>;
}

/**
 * `plant`: SQL that puts a bug into the database, before any node runs. `clockOffsetsMs`: how far the clock of each node is ahead of
 * the right time.
 */
export async function openWorld(plant?: string, clockOffsetsMs = [0, 0, 0]): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await testDatabase());
  const folder = opened.use(await tempFolder());
  const databaseUrl = database.settings["DATABASE_URL"];
  if (databaseUrl === undefined)
    throw new Error("several nodes need PostgreSQL: node tools/test.ts --postgres <files>");
  const settings = { ...SHARED, ROSTRUM_DATA_DIR: folder.path, DATABASE_URL: databaseUrl };
  const app = opened.use(await openApp(readConfig(settings, folder.path)));
  if (plant !== undefined) await execute(databaseUrl, plant);
  const start = async (index: number) => {
    const { [index]: clockOffsetMs = 0 } = clockOffsetsMs;
    const options = { name: `node-${index + 1}`, databaseUrl, folder: folder.path, clockOffsetMs };
    return opened.use(await Node.start(options));
  };
  const nodes: World["nodes"] = [await start(0), ...(await Promise.all([start(1), start(2)]))];
  const website = await createWebsite(app, { name: "Test", url: "https://example.com", urlPattern: null }, CLI_ORIGIN);
  const newKey = async (input: Partial<NewKey> = {}) => {
    const all = { name: "test", scope: "all" as const, expiresAt: null, rateLimit: null, ...input };
    const { key, secret } = await createKey(app, website.id, all, CLI_ORIGIN);
    return { id: key.id, secret };
  };
  const { secret: key } = await newKey();
  const owned = opened.move();
  return {
    app,
    nodes,
    databaseUrl,
    website,
    key,
    newKey,
    get: (node, path, headers = {}) => node.send(path, { headers: { "X-API-Key": key, ...headers } }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function execute(databaseUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** A time-out counts as an answer, because the request may hang. */
export async function statusWithin(ms: number, reply: Promise<Reply>): Promise<number | "none"> {
  const { promise, resolve } = Promise.withResolvers<"none">();
  const timer = setTimeout(() => resolve("none"), ms);
  try {
    return await Promise.race([
      reply.then(
        ({ status }) => status,
        () => "none" as const,
      ),
      promise,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
