import assert from "node:assert/strict";
import { after } from "node:test";
import { type App, openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import type { Millis } from "../../src/domain/system/time.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { Website } from "../../src/domain/system/website.ts";
import type { Log } from "../../src/process/log.ts";
import { createKey, type NewKey } from "../../src/operations/people/api-keys.ts";
import { createWebsite, type NewWebsite } from "../../src/operations/website/websites.ts";
import { startService } from "../../src/service/service.ts";
import type { Telemetry } from "../../src/telemetry/telemetry.ts";
import type { TelemetryConfig } from "../../src/telemetry/telemetry-config.ts";
import { FUTURE, withClock } from "./articles.ts";
import { pools } from "./content.ts";
import { copySqliteTemplate, testDatabase } from "./database.ts";
import { tempFolder } from "./folder.ts";
import { quickPasswords } from "./quick-passwords.ts";
import { Client, type Json, record, records, type Reply, type SendOptions } from "./http.ts";

/** Writes nothing, and records failures. */
interface TestLog extends Log {
  failures: { url?: string; error: unknown }[];
  /** Ids of the requests that were logged. */
  requestIds: Set<string>;
}

export interface TestService extends AsyncDisposable {
  url: string;
  /** Health and metrics, if they have a separate port. */
  metricsUrl: string | null;
  app: App;
  log: TestLog;
  website: Website;
  /** An API key of the website, scope `all`. */
  key: string;
  /** Sends a request with the key unless `headers` override it (`undefined` removes it). */
  send(path: string, options?: SendOptions): Promise<Reply>;
  get(path: string, headers?: SendOptions["headers"]): Promise<Reply>;
  list(query?: string): Promise<{ articles: Json[]; pagination: Json; body: Json; reply: Reply }>;
  detail(id: string, query?: string): Promise<Json>;
  events(query?: string): Promise<{ events: Json[]; pagination: Json }>;
  /** Kinds and data of the events after the sequence. */
  eventsAfter(sequence: number): Promise<{ event: string; data: Json }[]>;
  lastSequence(): Promise<number>;
  newWebsite(input?: Partial<NewWebsite>): Promise<Website>;
  newKey(input?: Partial<NewKey>, websiteId?: string): Promise<{ id: string; secret: string }>;
}

export const LIST = "/api/public/articles";

/**
 * Starts the service in this process, on a free port, with its own data. `wrap` may replace parts of the app:
 * `withRealPasswords` has passwords hashed at the cost of the product.
 */
export async function startTestService(
  settings: Record<string, string> = {},
  wrap: (app: App) => App = (app) => app,
): Promise<TestService> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const database = opened.use(await testDatabase());
  const config = readConfig(
    { PORT: "0", ROSTRUM_DATA_DIR: folder.at("data"), ROSTRUM_RATE_LIMIT: "0", ...database.settings, ...settings },
    folder.path,
  );
  await copySqliteTemplate(config);
  const log = testLog();
  const telemetry = opened.use(config.telemetry && (await openTelemetry(config.telemetry, log)));
  const addSpan = telemetry === null ? {} : { addSpan: telemetry.addSpan.bind(telemetry) };
  const opening = opened.use(await openApp(config, { pools, ...addSpan }));
  const app = wrap({ ...opening, passwords: quickPasswords(opening.randomBytes) });
  const { url, metricsUrl } = opened.use(await startService(app, log, { telemetry }));
  const client = opened.use(new Client(url));
  /** Its dashboard publishes at once. */
  const newWebsite = async (input: Partial<NewWebsite> = {}) => {
    const all = { name: "Test", url: "https://example.com", urlPattern: null, ...input };
    const made = await createWebsite(app, all, CLI_ORIGIN);
    // The texts of tests are too short to be articles: test/articles/integrity-gate.test.ts turns the gate on.
    await app.store.write((db) =>
      db.run("UPDATE websites SET publish_delay = 0, integrity_gate = 'off' WHERE id = ?", made.id),
    );
    return { ...made, publishDelaySeconds: 0, integrityGate: "off" as const };
  };
  const website = await newWebsite();
  const newKey = async (input: Partial<NewKey> = {}, websiteId = website.id) => {
    const all = { name: "test", scope: "all" as const, expiresAt: null, rateLimit: null, ...input };
    const { secret, key } = await createKey(app, websiteId, all, CLI_ORIGIN);
    return { id: key.id, secret };
  };
  const key = (await newKey()).secret;
  const send = (path: string, options: SendOptions = {}) =>
    client.send(path, { ...options, headers: { "X-API-Key": key, ...options.headers } });
  const get = (path: string, headers: SendOptions["headers"] = {}) => send(path, { headers });
  const data = async (path: string) => {
    const reply = await get(path);
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    const body = record(reply.json());
    return { reply, body, data: record(body["data"]) };
  };
  const events = async (query = "") => {
    const { data: found } = await data(`/api/public/events${query}`);
    return { events: records(found["events"]), pagination: record(found["pagination"]) };
  };
  const owned = opened.move();
  return {
    url,
    metricsUrl,
    app,
    log,
    website,
    key,
    send,
    get,
    list: async (query = "") => {
      const { reply, body, data: found } = await data(`${LIST}${query}`);
      return { reply, body, articles: records(found["articles"]), pagination: record(found["pagination"]) };
    },
    detail: async (id, query = "") => record((await data(`${LIST}/${id}${query}`)).data["article"]),
    events,
    eventsAfter: async (sequence) =>
      (await events(`?after=${sequence}&limit=100`)).events.map((one) => ({
        event: String(one["event"]),
        data: record(one["data"]),
      })),
    lastSequence: async () => Number((await events("?limit=1")).pagination["latest_sequence"]),
    newWebsite,
    newKey,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** For `startTestService`. */
export function withRealPasswords({ passwords: _quick, ...app }: App): App {
  return app;
}

/** A service for all tests of a file, stopped after the last one. `deps.now` is the time of operations that use `deps`. */
export async function clockedService(
  settings: Record<string, string> = {},
): Promise<{ service: TestService; deps: App & { now: Millis } }> {
  const service = await startTestService(settings);
  after(() => service[Symbol.asyncDispose]());
  return { service, deps: withClock(service.app, FUTURE) };
}

async function openTelemetry(config: TelemetryConfig, log: TestLog): Promise<Telemetry> {
  const { Telemetry } = await import("../../src/telemetry/telemetry.ts");
  return new Telemetry({
    config,
    version: "test",
    onDown: (facts, message) => log.warn(facts, message),
    onUp: (facts, message) => log.info(facts, message),
  });
}

function testLog(): TestLog {
  const failures: TestLog["failures"] = [];
  const requestIds = new Set<string>();
  return {
    failures,
    requestIds,
    isVerbose: false,
    finished: ({ requestId }) => requestIds.add(requestId),
    failed: ({ url }, error) => failures.push({ url, error }),
    info: () => undefined,
    warn: () => undefined,
    attempt: () => undefined,
    error: (error) => failures.push({ error }),
    flush: () => undefined,
  };
}
