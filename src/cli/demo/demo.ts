import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openApp, type App } from "../../app/app.ts";
import { type Config, readConfig } from "../../process/settings/config.ts";
import { restrictDataFolder } from "../../service/data-folder.ts";
import { CLI_ORIGIN } from "../../domain/system/audit.ts";
import type { Website } from "../../domain/system/website.ts";
import { readPath } from "../../content-processes/import-reader.ts";
import { openLog } from "../../process/log.ts";
import { createKey } from "../../operations/people/api-keys.ts";
import { hashKey } from "../../domain/people/api-key.ts";
import { findKeyByHash } from "../../store/people/api-keys.ts";
import { withPictures } from "../../operations/articles/import/import-pictures.ts";
import { importArticles } from "../../operations/articles/import/imports.ts";
import { followPublicUrl } from "../../operations/articles/assets/move-pictures.ts";
import { createWebsite, listWebsites } from "../../operations/website/websites.ts";
import { lockData } from "../../process/data-lock.ts";
import { type Service, startService } from "../../service/service.ts";
import { countArticles } from "../../store/articles/articles.ts";
import { writePrivateFile } from "../../store/system/files.ts";
import { CLI_ACTOR, type Command, ownCommand, parseOptions } from "../command.ts";
import { startReceiver } from "./receiver.ts";
import { connectReceiver, earlierPort, showEvent } from "./webhook.ts";
import { ownerLink } from "../people/setup-link.ts";
import { getServiceUrl } from "../system/databases.ts";

const ARTICLES = join(import.meta.dirname, "..", "..", "..", "demo", "articles");
const WEBSITE = {
  name: "Lantern Row Tea",
  url: "https://www.example.com",
  urlPattern: "https://www.example.com/blog/{slug}",
};

export const demo: Command = {
  summary: "run a demonstration with a website and its articles",
  help: `Usage: rostrum demo [--data FOLDER]

Starts the service on a database of its own, with a demonstration website and its articles in all three states, and
prints an address, an API key and requests to try. A receiver of its own shows each webhook that arrives. Stop it with
Ctrl+C.

  --data FOLDER  keep the data in FOLDER (default: a temporary folder, removed at the end)
  PORT           where it listens (default: 4000, or any free port when 4000 is taken)`,
  async run(args, io) {
    const { values } = parseOptions(args, { data: { type: "string" } });
    const stopped = io.whenStopped();
    const folder = values.data === undefined ? mkdtempSync(join(tmpdir(), "rostrum-demo-")) : resolve(values.data);
    const database = join(folder, "rostrum.db");
    const settings = {
      ROSTRUM_LOG_LEVEL: "warn",
      ...io.environment,
      ROSTRUM_DATA_DIR: folder,
      DATABASE_URL: `sqlite:${database}`,
      // The demo receiver listens on this machine, without TLS.
      ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
      ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
    };
    try {
      const wanted = readConfig(settings, io.directory);
      const config = { ...wanted, port: await choosePort(wanted, io.environment["PORT"] === undefined) };
      using lock = lockData(database, "demo");
      for (const sentence of restrictDataFolder(config)) io.err(`${sentence}\n`);
      await using app = await openApp(config, { migrates: true });
      const log = openLog(app.config.logLevel);
      const website = await prepareWebsite(app);
      await using receiver = await startReceiver({
        port: await earlierPort(app, website.id),
        clock: app.clock,
        print: (line) => io.out(`${new Date(app.clock()).toTimeString().slice(0, 8)}  ${line}\n`),
      });
      const webhookId = await connectReceiver(app, website.id, receiver);
      await using service = await startService(app, log);
      lock.publishUrl(service.url);
      io.out(
        await describeDemo(app, service, website, {
          webhookId,
          folder: values.data === undefined ? null : folder,
          command: ownCommand(io.directory),
        }),
      );
      await stopped;
      log.flush();
    } finally {
      if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function prepareWebsite(app: App): Promise<Website> {
  const website = (await listWebsites(app))[0] ?? (await createWebsite(app, WEBSITE, CLI_ORIGIN));
  const found = readPath(ARTICLES, { format: "markdown", websiteUrl: website.url, clock: app.clock });
  const base = getServiceUrl(app.config);
  const items = withPictures(app, found, { root: ARTICLES, website, base, origin: CLI_ORIGIN });
  const { failed } = await importArticles(app, website.id, items, { events: true, dryRun: false, actor: CLI_ACTOR });
  if (failed[0] !== undefined) throw new Error(`the demonstration is broken: ${failed[0].source}: ${failed[0].reason}`);
  // The port may be another one than at the last start.
  for await (const _batch of followPublicUrl(app, base, rethrow));
  return website;
}

function rethrow(error: unknown): never {
  throw error;
}

/** @returns suggestions of what to try. */
async function describeDemo(
  app: App,
  { url }: Service,
  website: Website,
  { webhookId, folder, command }: { webhookId: string; folder: string | null; command: string },
): Promise<string> {
  const secret = await demoKey(app, website.id);
  const counts = await app.store.read((db) => countArticles(db, website.id));
  const example = await app.store.read((db) =>
    db.get("SELECT id FROM articles WHERE website_id = ? AND status = 'published' LIMIT 1", website.id),
  );
  const api = `${url}/api/public`;
  const shown = await showEvent(app, website.id);
  const owner = await ownerLink(app, app.config.publicUrl ?? url);
  const curl = (path: string) => `  curl -H 'X-API-Key: ${secret}' '${api}${path}'`;
  return `
${website.name}: ${counts.published} published, ${counts.approved} approved and ${counts.pending} pending articles

  Address        ${url}
  Documentation  ${url}/docs
  Website        ${website.id}
  API key        ${secret}
${owner === null ? "" : `  First sign-in  ${owner}\n`}
Read its articles:

${curl("/articles?limit=3")}
${curl(`/articles/${example?.id ?? ":id"}`)}
${curl("/articles?limit=1&debug=true")}
${curl("/articles?q=tea&sort=-updated_at&fields=title,slug")}
${curl("/events?limit=1")}

Change something while it runs, in another terminal. Readers see it in the very next answer, and a receiver of this
demonstration is sent a webhook, verifies its signature and prints a line here:

  export ROSTRUM_DATA_DIR=${app.config.dataDir}
  ${command} article unpublish ${example?.id ?? "ID"}
  ${command} article publish ${example?.id ?? "ID"}
  ${command} webhook deliveries ${webhookId}

${shown === null ? "" : `${shown}\n\n`}${folder === null ? "The data is in a temporary folder, which is deleted when the demonstration stops." : `The data stays in ${folder}.`} Stop it with Ctrl+C.
`;
}

/** The demonstration's API key, stored in plain text in its folder so that it survives a restart. */
async function demoKey(app: App, websiteId: string): Promise<string> {
  const path = join(app.config.dataDir, "demo-key.txt");
  if (existsSync(path)) {
    const earlier = readFileSync(path, "utf8").trim();
    if ((await app.store.read((db) => findKeyByHash(db, hashKey(earlier))))?.websiteId === websiteId) return earlier;
  }
  const { secret } = await createKey(
    app,
    websiteId,
    { name: "Demo", scope: "published", expiresAt: null, rateLimit: null },
    CLI_ORIGIN,
  );
  writePrivateFile(path, `${secret}\n`);
  return secret;
}

/** The configured port, or any free one when that is taken and no port was requested: the pictures' addresses name it. */
async function choosePort({ host, port }: Pick<Config, "host" | "port">, mayMove: boolean): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(port, host), "listening");
  } catch {
    // Without a choice, the service's start says what is wrong.
    return mayMove ? choosePort({ host, port: 0 }, false) : port;
  }
  const chosen = (probe.address() as AddressInfo).port;
  await once(probe.close(), "close");
  return chosen;
}
