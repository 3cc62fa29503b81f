/**
 * Several nodes on one database, a publisher, readers that never stop, and a receiver that reads each article of which it gets an
 * event, during one fault of the nodes after another: no answer may be older than an event that was received before.
 */
import { setTimeout as wait } from "node:timers/promises";
import { randomNumbers } from "../../../bench/statistics.ts";
import { openApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { createKey } from "../../../src/operations/people/api-keys.ts";
import { createEndpoint } from "../../../src/operations/webhooks/endpoints.ts";
import { createWebsite } from "../../../src/operations/website/websites.ts";
import { tempFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { Ledger } from "./ledger.ts";
import { SHARED, startNodes, type Node } from "./nodes.ts";
import { Observer, type Website } from "./observer.ts";
import { Publisher } from "./publisher.ts";
import { Receiver } from "./receiver.ts";
import { type TroubleOptions, Troubles } from "./faults.ts";

export interface LoopOptions {
  databaseUrl: string;
  seed: number;
  /** Ends after this many events, or earlier: */
  callbacks: number;
  withinMs?: number;
  /** Undefined for a run without faults. */
  troubles?: Pick<TroubleOptions, "everyMs" | "longestMs">;
  onProgress?: (line: string) => void;
}

export interface Outcome {
  violations: readonly string[];
  errors: readonly unknown[];
  callbacks: number;
  /** Events that did not reach an endpoint subscribed to them. */
  missing: number;
  reads: number;
  notModified: number;
  failedReads: number;
  troubles: Record<string, number>;
  ms: number;
}

const NODES = 3;
const WEBSITES = 3;
const ENDPOINTS_EACH = 8;
const ARTICLES_EACH = 12;
/** Maximum number of webhooks still to come: with more, they would be about changes long past. */
const MAX_UNDER_WAY = 400;
const STEADY_PAUSE_MS = 6;
const SETTLED_WITHIN_MS = 40_000;
const PROGRESS_EVERY_MS = 10_000;

export async function runLoop(options: LoopOptions): Promise<Outcome> {
  const { databaseUrl, callbacks, withinMs = Number.POSITIVE_INFINITY } = options;
  const random = randomNumbers(options.seed);
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const environment = { ...SHARED, ROSTRUM_DATA_DIR: folder.path, DATABASE_URL: databaseUrl };
  const app = opened.use(await openApp(readConfig(environment, folder.path)));
  const websites: Website[] = [];
  for (let made = 0; made < WEBSITES; made++) {
    const { id } = await createWebsite(
      app,
      { name: `Website ${made}`, url: "https://example.com", urlPattern: null },
      CLI_ORIGIN,
    );
    const wishes = { name: "readers", scope: "published" as const, expiresAt: null, rateLimit: null };
    websites.push({ id, key: (await createKey(app, id, wishes, CLI_ORIGIN)).secret });
  }
  const { nodes } = opened.use(await startNodes(NODES, { databaseUrl, folder: folder.path }));
  const ledger = new Ledger();
  const observer = new Observer({ nodes, ledger, random });
  const receiver = opened.use(await Receiver.start({ ledger, observer, nodes, websites, random }));
  for (const { id } of websites) {
    for (let made = 0; made < ENDPOINTS_EACH; made++) {
      await createEndpoint(app, id, { url: receiver.url(`${id}-${made}`) }, CLI_ORIGIN);
    }
  }
  const publisher = opened.use(
    await Publisher.start({
      ledger,
      websites,
      articlesEach: ARTICLES_EACH,
      settings: environment,
      cwd: folder.path,
      random,
    }),
  );

  const startedAt = performance.now();
  const errors = () => [...publisher.errors, ...receiver.errors];
  const owed = () => publisher.made * ENDPOINTS_EACH - receiver.arrived;
  const isOver = () =>
    receiver.callbacks >= callbacks || performance.now() - startedAt > withinMs || errors().length > 0;
  const reading = new AbortController();
  const steady = readSteadily({ nodes, websites, observer, publisher, random }, reading.signal);
  const troubles = options.troubles && new Troubles({ nodes, databaseUrl, random, ...options.troubles });
  try {
    let lastLoggedAt = startedAt;
    let shown = 0;
    while (!isOver()) {
      for (; shown < observer.violations.length; shown++) options.onProgress?.(`  ${observer.violations[shown]}`);
      if (owed() > MAX_UNDER_WAY || !publisher.order()) await wait(2);
      if (performance.now() - lastLoggedAt > PROGRESS_EVERY_MS) {
        lastLoggedAt = performance.now();
        const s = Math.round((lastLoggedAt - startedAt) / 1_000);
        options.onProgress?.(
          `${s} s: ${receiver.callbacks} callbacks, ${observer.reads} reads, ${observer.violations.length} violations`,
        );
      }
    }
  } finally {
    await troubles?.[Symbol.asyncDispose]();
    reading.abort();
  }
  const ms = performance.now() - startedAt;
  const hasSettled = () => publisher.isIdle && owed() <= 0;
  if (errors().length === 0) await until("every event has come", hasSettled, SETTLED_WITHIN_MS).catch(() => undefined);
  await receiver.settled();
  await steady;
  return {
    violations: observer.violations,
    errors: [...errors(), ...(troubles?.errors ?? [])],
    callbacks: receiver.callbacks,
    missing: owed(),
    reads: observer.reads,
    notModified: observer.notModified,
    failedReads: observer.failed,
    troubles: troubles?.counts ?? {},
    ms,
  };
}

/** Reads everything all the time, so that the nodes have it cached. */
async function readSteadily(
  {
    nodes,
    websites,
    observer,
    publisher,
    random,
  }: {
    nodes: readonly Node[];
    websites: readonly Website[];
    observer: Observer;
    publisher: Publisher;
    random: () => number;
  },
  signal: AbortSignal,
): Promise<void> {
  const read = async (node: Node) => {
    while (!signal.aborted) {
      const roll = random();
      const website = websites[Math.floor(random() * websites.length)];
      const { articles } = publisher;
      const article = articles[Math.floor(random() * articles.length)];
      const its = websites.find(({ id }) => id === article?.websiteId);
      if (website === undefined) return;
      if (roll < 0.4 || article === undefined || its === undefined) await observer.list(website, undefined, node);
      else if (roll < 0.9) await observer.detail(its, article.articleId, node);
      else if (roll < 0.95) await observer.labelled(its, article.articleId, node);
      else await observer.list(website, "?limit=100&sort=title", node);
      await wait(STEADY_PAUSE_MS);
    }
  };
  await Promise.all(nodes.map(read));
}
