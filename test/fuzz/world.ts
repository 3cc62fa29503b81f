/** A real service on a folder of its own, somebody signed in, and what is known of its secrets. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { FastifyInstance, RouteOptions } from "fastify";
import { type App, openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { isoTime } from "../../src/domain/system/time.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { listHeldChanges } from "../../src/operations/articles/review/held-changes.ts";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import { MANAGEMENT_PREFIX } from "../../src/http/admin/admin-options.ts";
import { createKey } from "../../src/operations/people/api-keys.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { makeSetUpLink } from "../../src/operations/people/invitations.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, oneOfEach } from "../helpers/articles.ts";
import { serveCli, type ServerProcess } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { buildInspectedAdmin } from "../helpers/inspected-admin.ts";
import { Client, type Json, type Reply, type SendOptions } from "../helpers/http.ts";
import { API, Browser, OWNER, PASSWORD } from "../people/dashboard.ts";

/** Nobody listens there: nothing that is fuzzed leaves the machine, or reaches another program on it. */
export const DEAD_END = "http://127.0.0.1:9/hook";
const MAX_RESIDENT_BYTES = 900 * 1024 ** 2;
/** A request that takes longer counts as hung. */
const ANSWER_MS = 60_000;

export interface Route {
  method: string;
  /** With its parameters: `/articles/:id`; of the management API from its prefix on. */
  path: string;
  body: Json | null;
  query: Json | null;
  /** Of a 200, as far as the contract says. */
  answer: Json | null;
}

export interface World extends AsyncDisposable {
  key: string;
  websiteId: string;
  articleIds: readonly string[];
  endpointId: string;
  /** What a source brought that is held. */
  held: readonly Json[];
  routes: readonly Route[];
  secrets: ReadonlyMap<string, string>;
  /** Sends a request to the read API, or to another public address. */
  send(path: string, options?: SendOptions): Promise<Reply>;
  /** Sends a request as the owner, who signs in again if necessary; to the management API with a token of the widest scope. */
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
  sendFile(path: string, body: string): Promise<Reply>;
  isAlive(): boolean;
  /** Asserts that the process lives, within its memory, and has logged neither a fault nor a secret. */
  assertWell(): Promise<void>;
}

/** @param withArticles one of each state is there. */
export async function openWorld(withArticles: boolean): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const settings = {
    PORT: "0",
    ROSTRUM_DATA_DIR: folder.at("data"),
    ROSTRUM_RATE_LIMIT: "0",
    ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
    ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
  };
  const seeded = await seed(settings, folder.path, withArticles);
  const server = opened.use(await serveCli({ cwd: folder.path, env: settings, withinMs: 24 * 3_600_000 }));
  const client = opened.use(new Client(server.url));
  const owner = opened.use(new Browser(server.url));
  const welcome = { token: seeded.setUp, email: OWNER, name: "Olga", password: PASSWORD };
  await owner.json("POST", "/welcome", welcome);
  const secrets = new Map([
    ["the API key", seeded.key],
    ["the access token", seeded.token],
    ["the secret key", (await readFile(folder.at("data/secret.key"), "utf8")).trim()],
    ["the owner's password", PASSWORD],
    ["the webhook's secret", seeded.signing],
    ["a header of the webhook", "hush-hush-header"],
  ]);
  const manage = (method: string, path: string, body?: unknown) =>
    client.send(path, {
      method,
      headers: {
        Authorization: `Bearer ${seeded.token}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const isAlive = () => server.child.exitCode === null && server.child.signalCode === null;
  let seen = 0;
  const owned = opened.move();
  return {
    ...seeded,
    secrets,
    send: (path, options = {}) =>
      inTime(client.send(path, { ...options, headers: { "X-API-Key": seeded.key, ...options.headers } }), path),
    ask: async (method, path, body) => {
      if (path.startsWith(MANAGEMENT_PREFIX)) return inTime(manage(method, path, body), `${method} ${path}`);
      const once = () => inTime(owner.send(method, path, body as Json | undefined), `${method} ${path}`);
      const reply = await once();
      if (reply.status !== 401) return reply;
      await owner.signIn(OWNER);
      return once();
    },
    sendFile: (path, body) => inTime(owner.sendFile(path, body), path),
    isAlive,
    assertWell: async () => {
      const cookie = owner.cookie?.split("=")[1];
      const more = cookie === undefined ? secrets : new Map([...secrets, ["the session", cookie]]);
      assert.ok(isAlive(), "the process has ended");
      for (const line of server.lines.slice(seen)) checkLine(line, more);
      seen = server.lines.length;
      const resident = await residentBytes(server);
      assert.ok(resident < MAX_RESIDENT_BYTES, `the process has ${Math.round(resident / 1024 ** 2)} MB`);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What stands in the data before the service starts. */
async function seed(settings: Record<string, string>, directory: string, withArticles: boolean) {
  await using app = await openApp(readConfig(settings, directory));
  const newWebsite = { name: "Fuzzed", url: "https://www.example.com", urlPattern: "https://www.example.com/{slug}" };
  const { id: websiteId } = await createWebsite(app, newWebsite, CLI_ORIGIN);
  const keyInput = { name: "fuzz", scope: "all" as const, expiresAt: null, rateLimit: null };
  const { secret: key } = await createKey(app, websiteId, keyInput, CLI_ORIGIN);
  const machine = { name: "fuzz", scope: "publish" as const, expiresAt: null };
  const { secret: token } = await createToken(app, websiteId, machine, CLI_ORIGIN);
  const hook = { url: DEAD_END, headers: { Authorization: "hush-hush-header" } };
  const { endpoint, secret: signing } = await createEndpoint(app, websiteId, hook, CLI_ORIGIN);
  const articles = withArticles ? Object.values(await oneOfEach(app, websiteId)) : [];
  const held = withArticles
    ? await holdChanges(
        app,
        websiteId,
        articles.map(({ article }) => article.id),
      )
    : [];
  const setUp = await makeSetUpLink(app);
  assert.ok(setUp !== null);
  const routes = await readRoutes(app);
  const articleIds = articles.map(({ article }) => article.id);
  return { websiteId, key, token, endpointId: endpoint.id, signing, articleIds, held, setUp, routes };
}

/** Has a source bring another text of each article, which is held, as the source meets it for the first time. */
async function holdChanges(app: App, websiteId: string, ids: readonly string[]): Promise<readonly Json[]> {
  const items = ids.map((id) => {
    const input = { id, title: "Another title", content: "<p>Another text.</p>" };
    return { kind: "draft" as const, source: SOURCE, ref: `${SOURCE} ${id}`, input };
  });
  await importArticles(app, websiteId, Readable.from(items), { events: false, dryRun: false, actor: CHIEF });
  const held = await Promise.all(ids.map((id) => listHeldChanges(app, id)));
  return held.flat().map(({ source, heldAt, side }) => ({ source, held_at: isoTime(heldAt), side }));
}

const SOURCE = "fuzz.md";

/** Every route of the dashboard's API with its schemas, as Fastify is told of them. */
async function readRoutes(deps: App): Promise<Route[]> {
  const routes: Route[] = [];
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook("onRoute", (route) => void routes.push(...routesOf(route)));
  };
  subscribe("fastify.initialization", listen);
  const admin = await buildInspectedAdmin(deps);
  unsubscribe("fastify.initialization", listen);
  await admin.close();
  return routes;
}

function routesOf({ method, url, schema }: RouteOptions): Route[] {
  const answers = schema?.response as Record<string, Json> | undefined;
  return [method].flat().map((one) => ({
    method: one,
    path: url.startsWith(API) ? url.slice(API.length) : url,
    body: (schema?.body as Json | undefined) ?? null,
    query: (schema?.querystring as Json | undefined) ?? null,
    answer: answers?.["200"] ?? null,
  }));
}

function checkLine(line: string, secrets: ReadonlyMap<string, string>): void {
  for (const [name, secret] of secrets) assert.ok(!line.includes(secret), `the log shows ${name}: ${line}`);
  const { level } = JSON.parse(line) as { level: number };
  assert.ok(level < 50, `the log has a fault: ${line}`);
}

/** 0 if unknown. */
async function residentBytes({ child }: ServerProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Rejects when no answer comes. */
async function inTime(reply: Promise<Reply>, what: string): Promise<Reply> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} was not answered in ${ANSWER_MS} ms`)), ANSWER_MS);
  try {
    return await Promise.race([reply, promise]);
  } finally {
    clearTimeout(timer);
  }
}
