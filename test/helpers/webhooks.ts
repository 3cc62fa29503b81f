/** Receivers with scripted responses that record requests, and a queue whose clock stands still until it is set. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { Webhook } from "standardwebhooks";
import { type App, openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import type { Millis } from "../../src/domain/system/time.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { Website } from "../../src/domain/system/website.ts";
import { createArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { enableEndpoint } from "../../src/operations/webhooks/catch-up.ts";
import type { Recorded } from "../../src/operations/webhooks/record-attempts.ts";
import { type DeliveryWithAttempts, listDeliveries } from "../../src/operations/webhooks/deliveries.ts";
import { createEndpoint, loadEndpoint, type NewEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { stepReplays } from "../../src/operations/webhooks/replays.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import type { StoredEndpoint } from "../../src/store/webhooks/endpoints.ts";
import { DISPATCHER_BEAT_INTERVAL_MS } from "../../src/store/system/liveness.ts";
import { runEvery } from "../../src/process/interval.ts";
import { Dispatcher } from "../../src/webhooks/dispatch/dispatcher.ts";
import { CHIEF, makeArticle, TODAY, withClock } from "./articles.ts";
import { deriveContent } from "./content.ts";
import { copySqliteTemplate, testDatabase } from "./database.ts";
import { tempFolder } from "./folder.ts";
import { type Json, record } from "./http.ts";
import { watchLockOrder } from "./lock-order.ts";
import { PATIENCE_MS, pauseAfter, until } from "./until.ts";

/** Allows receivers on loopback. */
export const LOOPBACK = { ROSTRUM_WEBHOOK_ALLOW_HTTP: "1", ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32" };

/** The middle of the jitter range, so that delays are exactly as planned. */
const MIDDLE = () => 0.5;

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as JSON. */
  event: Json;
  data: Json;
}

export interface ScriptedAnswer {
  /** 204 unless there is a body. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** @param index 0 is the receiver's first request. */
export type Script = (request: Received, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

export const OK: Script = () => ({});
export const FAILS: Script = () => ({ status: 500 });

/** Listens on 127.0.0.1 until it is disposed of, which aborts pending requests. */
export class ScriptedReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** Called for each request. */
  script: Script;
  underWay = 0;
  mostUnderWay = 0;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  private constructor(script: Script) {
    this.script = script;
  }

  static async start(script: Script = OK): Promise<ScriptedReceiver> {
    const receiver = new ScriptedReceiver(script);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Titles of the articles in the received events, in order of arrival; for a deletion, the id. */
  get titles(): string[] {
    return this.received.map(({ data }) => String(data["title"] ?? data["article_id"]));
  }

  /** This header of each request, in order of arrival. */
  header(name: string): (string | undefined)[] {
    return this.received.map(({ headers }) => headers[name]?.toString());
  }

  /** Waits until this many requests have arrived. @returns the last of them. */
  async arrival(count: number): Promise<Received> {
    await until(`request ${count}, where ${this.received.length} came`, () => this.received.length >= count);
    const last = this.received[count - 1];
    assert.ok(last !== undefined);
    return last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    const body = await text(request);
    const event = record(JSON.parse(body));
    const { method = "", url: path = "", headers } = request;
    const received = { method, path, headers, body, event, data: record(event["data"]) };
    this.received.push(received);
    const answer = await this.script(received, this.received.length - 1);
    this.underWay--;
    response.writeHead(answer.status ?? (answer.body === undefined ? 204 : 200), answer.headers).end(answer.body);
  }
}

/** A script that holds requests until it is opened. */
export function gate(): { script: Script; open: (answer?: ScriptedAnswer) => void } {
  const { promise, resolve } = Promise.withResolvers<ScriptedAnswer>();
  return { script: () => promise, open: (answer = {}) => resolve(answer) };
}

/** Asserts with an independent implementation that the request has a valid, current signature of this secret. */
export function assertSigned({ headers, body }: Received, secret: string): void {
  new Webhook(secret).verify(body, headers as Record<string, string>);
}

/** Whether the secret signs the request, regardless of its age. */
export function isSignedBy({ headers, body }: Received, secret: string): boolean {
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  const expected = new Webhook(secret).sign(String(headers["webhook-id"]), at, body);
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

/** An endpoint with its queue and receiver, after `miss` has made it miss events. */
export async function missedHook<T extends object>(
  settings: Record<string, string>,
  miss: (hook: { queue: TestQueue; receiver: ScriptedReceiver; id: string }) => Promise<T>,
) {
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue(settings));
  const receiver = opened.use(await ScriptedReceiver.start());
  const { id } = await queue.endpoint(receiver);
  const facts = await miss({ queue, receiver, id });
  const owned = opened.move();
  return {
    queue,
    receiver,
    id,
    ...facts,
    enable: (replay: "latest" | "all" | "none") => enableEndpoint(queue.app, id, replay, CLI_ORIGIN),
    /** Runs all open replays, `limit` deliveries at a time. */
    replay: async (limit = 100) => {
      while (await stepReplays(queue.app, limit));
    },
    /** The `webhook-id` of each delivery, oldest first. */
    ids: async () => (await queue.deliveries(id)).map(({ delivery }) => `msg_${delivery.eventId}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Waits until `read` returns the expected value; fails with what it returned last. */
export async function eventually<T>(read: () => T | Promise<T>, expected: T, withinMs = PATIENCE_MS): Promise<void> {
  const began = performance.now();
  let actual = await read();
  for (let waitedMs = 0; !isDeepStrictEqual(actual, expected) && waitedMs < withinMs;) {
    await pauseAfter(waitedMs);
    actual = await read();
    waitedMs = performance.now() - began;
  }
  assert.deepEqual(actual, expected);
}

/** An app without its service: nothing is sent unless a dispatcher is started, and `app.now` is the time. */
export interface TestQueue extends AsyncDisposable {
  app: App & { now: Millis };
  website: Website;
  endpoint(receiver: { url: string }, input?: Partial<NewEndpoint>): Promise<{ id: string; secret: string }>;
  find(endpointId: string): Promise<StoredEndpoint>;
  /** Publishes a new article. @returns its id. */
  publish(title: string, input?: ArticleInput): Promise<string>;
  retitle(articleId: string, title: string): Promise<void>;
  /** Oldest first. */
  deliveries(endpointId: string): Promise<DeliveryWithAttempts[]>;
  /** States of the deliveries, oldest first. */
  states(endpointId: string): Promise<string[]>;
  /** Starts a dispatcher with its heartbeat, which runs until it is stopped or the queue is disposed of. */
  start(options?: { worker?: string; random?: () => number; app?: App }): Dispatcher;
  /** Results that the dispatchers recorded. */
  recorded: Recorded[];
  /** Errors of the dispatchers. */
  errors: unknown[];
  /** Opens the same data again, as after a restart. */
  reopen(): Promise<App & { now: Millis }>;
}

/** Renews the row of a dispatcher on PostgreSQL, as the heartbeat of its process does. */
export async function renewDispatcher({ store }: Pick<App, "store">, id: string, aheadMs = 0): Promise<void> {
  const sql = `INSERT INTO workers (id, kind, seen_at)
    VALUES (?, 'dispatcher', clock_timestamp() + interval '${aheadMs} milliseconds')
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`;
  await store.write((db) => db.run(sql, id), { notify: false });
}

export async function openQueue(settings: Record<string, string> = {}): Promise<TestQueue> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const database = opened.use(await testDatabase());
  const config = readConfig(
    {
      PORT: "0",
      ROSTRUM_DATA_DIR: folder.at("data"),
      ROSTRUM_LOG_LEVEL: "silent",
      ...LOOPBACK,
      ...database.settings,
      ...settings,
    },
    folder.path,
  );
  const violations: string[] = [];
  await copySqliteTemplate(config);
  const own = opened.use(await openApp(config));
  const app = withClock({ ...own, deriveContent, store: watchLockOrder(own.store, violations) }, TODAY);
  const website = await createWebsite(app, { name: "Test", url: "https://example.com", urlPattern: null }, CLI_ORIGIN);
  const recorded: Recorded[] = [];
  const errors: unknown[] = [];
  const running: Dispatcher[] = [];
  const beats: AsyncDisposable[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const deliveries = async (endpointId: string) =>
    (await listDeliveries(app, endpointId, { limit: 10_000 })).toReversed();
  const owned = opened.move();
  return {
    app,
    website,
    recorded,
    errors,
    endpoint: async ({ url }, input = {}) => {
      const { secret, endpoint } = await createEndpoint(app, website.id, { url, ...input }, CLI_ORIGIN);
      return { secret, id: endpoint.id };
    },
    find: (id) => app.store.read((db) => loadEndpoint(db, id)),
    publish: async (title, input = {}) =>
      (await createArticle(app, website.id, makeArticle({ title, status: "published", ...input }), CHIEF)).article.id,
    retitle: async (id, title) => void (await updateArticle(app, id, { title }, CHIEF)),
    deliveries,
    states: async (id) => (await deliveries(id)).map(({ delivery }) => delivery.state),
    start: ({ worker = "test", random = MIDDLE, app: deps = app } = {}) => {
      let isRenewed = app.store.engine === "sqlite";
      const dispatcher = new Dispatcher({
        deps,
        policy: config.webhooks,
        random,
        saveReceipt,
        worker,
        liveness: { isFenced: () => !isRenewed },
        onRecorded: (results) => recorded.push(...results),
        onError,
      });
      dispatcher.start();
      running.push(dispatcher);
      if (app.store.engine === "postgres") {
        const beat = async () => {
          await renewDispatcher(app, worker);
          isRenewed = true;
          // It would retry locked rows at a later time of the clock, which stands still.
          dispatcher.wake();
        };
        const beating = runEvery(DISPATCHER_BEAT_INTERVAL_MS, beat, { error: onError });
        beating.wakeWithin(0);
        beats.push(beating);
      }
      return dispatcher;
    },
    reopen: async () => {
      const reopened = { ...owned.use(await openApp(config)), deriveContent };
      // Wakes the dispatchers on commits of other processes, as the service does.
      reopened.store.onCommit(() => {
        for (const dispatcher of running) dispatcher.wake();
      });
      return withClock(reopened, app.now);
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of beats) await one[Symbol.asyncDispose]();
      for (const dispatcher of running) await dispatcher.stop(0);
      await owned.disposeAsync();
      assert.deepEqual(violations, [], "locks are taken in the order websites, endpoints, queue");
    },
  };
}
