/** Repeatedly kills the process that a sender delivers to, on the same data, then lets a leader finish, and checks. */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApp } from "../../src/app/app.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { ArrivalState } from "../../src/domain/articles/senders/sender.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { finishWaiting } from "../../src/operations/articles/senders/receive.ts";
import { createSender } from "../../src/operations/articles/senders/senders.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { declareRow } from "../../src/store/row.ts";
import type { Database } from "../../src/store/store.ts";
import { randomNumbers } from "../../bench/statistics.ts";
import { copySqliteTemplate, testDatabase } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import type { Delivery, FromSenderChild, SenderChildOptions, SenderPoint } from "./sender-messages.ts";

export interface SenderOutcome {
  kills: number;
  deliveries: number;
  acknowledged: number;
  articles: number;
  /** Arrivals that a later process took up. */
  takenUp: number;
  violations: string[];
  errors: string[];
}

/** A sender's articles, each of which it delivers again and again, in new versions and in the same. */
const ARTICLES = 5;
const CLAIM_MS = 60_000;
/** An arrival is taken up by the next life but one, when later ones of its article may have come. */
const BETWEEN_LIVES_MS = 0.6 * CLAIM_MS;
/** A life that is not ended by its point, because it reached it too rarely, ends then. */
const MAX_DELIVERIES = 40;
const MAX_LIFE_MS = 1_000;
/** The share of the services' lives that end only after the first delivery, which starts a thread and a process. */
const AT_WORK = 0.8;
const STUCK_AFTER_MS = 30_000;
const CACHE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "rostrum");

export async function runSenderLoop(kills: readonly (SenderPoint | "random")[], seed: number): Promise<SenderOutcome> {
  const random = randomNumbers(seed);
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const database = opened.use(await testDatabase());
  const settings = {
    ROSTRUM_DATA_DIR: folder.path,
    ROSTRUM_SECRET_KEY: randomBytes(32).toString("hex"),
    ROSTRUM_CACHE_MB: "4",
    PORT: "0",
    ...database.settings,
  };
  const config = readConfig(settings, folder.path);
  await copySqliteTemplate(config);
  const made = await prepare(config);
  const deliveries: Sent[] = [];
  const errors: string[] = [];
  for (const [index, point] of kills.entries()) {
    const options: SenderChildOptions = {
      senderId: made.senderId,
      point: point === "random" ? null : point,
      occurrence: 1 + Math.floor(random() * 4),
      aheadMs: index * BETWEEN_LIVES_MS,
    };
    errors.push(...(await live(options, settings, made.secret, deliveries, random)));
  }
  await using app = await openApp(config);
  const clock = () => app.clock() + (kills.length + 2) * CLAIM_MS;
  const takenUp = await finishWaiting({ ...app, clock, onError: (error) => void errors.push(String(error)) });
  return { kills: kills.length, takenUp, errors, ...(await check(app.store, made.websiteId, deliveries)) };
}

async function prepare(config: Parameters<typeof openApp>[0]) {
  await using app = await openApp(config);
  const website = await createWebsite(app, { name: "Kill", url: "https://example.com", urlPattern: null }, CLI_ORIGIN);
  const input = { kind: "generic", name: "A sender", secret: null };
  const { sender, secret } = await createSender(app, website.id, input, CLI_ORIGIN);
  return { websiteId: website.id, senderId: sender.id, secret: secret ?? "" };
}

interface Sent extends Delivery {
  externalId: string;
  text: string;
  isAcknowledged: boolean;
}

/** One life of the process: deliveries one after the other, until it is dead. @returns errors that it told. */
async function live(
  options: SenderChildOptions,
  settings: Record<string, string>,
  secret: string,
  deliveries: Sent[],
  random: () => number,
): Promise<string[]> {
  const errors: string[] = [];
  const child = fork(fileURLToPath(import.meta.resolve("./sender-child.ts")), [JSON.stringify(options)], {
    execArgv: [],
    // oxlint-disable-next-line node/no-process-env -- where programs are
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: CACHE, ...settings },
    cwd: settings["ROSTRUM_DATA_DIR"] ?? ".",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child.on("error", () => undefined);
  const ended = once(child, "exit");
  const stuck = setTimeout(() => child.kill("SIGKILL"), STUCK_AFTER_MS);
  try {
    const ready = Promise.withResolvers<string | null>();
    const acknowledged = new Map<number, () => void>();
    child.on("message", (message: FromSenderChild) => {
      if (message.type === "ready") ready.resolve(message.url);
      else if (message.type === "acknowledged") acknowledged.get(message.number)?.();
      // What the store says while the process is being killed is no failure.
      else if (options.point !== null) errors.push(message.message);
    });
    const url = await Promise.race([ready.promise, ended.then(() => null)]);
    const killSoon = () => setTimeout(() => child.kill("SIGKILL"), random() * MAX_LIFE_MS);
    const isKilledAtWork = random() < AT_WORK;
    if (options.point === null && !isKilledAtWork) killSoon();
    for (let count = 0; child.exitCode === null && child.signalCode === null && count < MAX_DELIVERIES; count++) {
      const sent = nextDelivery(deliveries, random);
      deliveries.push(sent);
      if (url === null) {
        const told = new Promise<void>((resolve) => {
          acknowledged.set(sent.number, () => {
            sent.isAcknowledged = true;
            resolve();
          });
        });
        if (child.connected) child.send({ number: sent.number, body: sent.body }, () => undefined);
        await Promise.race([told, ended]);
      } else {
        const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
        const asked = fetch(`${url}/senders/${options.senderId}`, { method: "POST", headers, body: sent.body });
        const status = await asked.then((reply) => reply.status).catch(() => 0);
        sent.isAcknowledged = status === 200;
        if (count === 0 && isKilledAtWork) killSoon();
        if (status !== 200 && status !== 0 && status !== 429) errors.push(`a delivery was answered ${status}`);
      }
    }
    child.kill("SIGKILL");
    await ended;
    return errors;
  } finally {
    clearTimeout(stuck);
  }
}

/** The next version of an article, or a repeat of its last, as after a lost answer. */
function nextDelivery(deliveries: readonly Sent[], random: () => number): Sent {
  const number = deliveries.length + 1;
  const externalId = `article-${Math.floor(random() * ARTICLES)}`;
  const last = deliveries.findLast((one) => one.externalId === externalId);
  const text = last !== undefined && random() < 0.4 ? last.text : `<p>Version ${number}.</p>`;
  const body = JSON.stringify({ id: externalId, title: `Title of ${externalId}`, content: text, delivery: number });
  return { number, externalId, text, body, isAcknowledged: false };
}

async function check(store: Database, websiteId: string, deliveries: readonly Sent[]) {
  const violations: string[] = [];
  const arrivals = await store.read((db) =>
    db.all(
      declareRow<{ state: ArrivalState; body: string; outcome: string | null }>(
        `SELECT state, body, outcome FROM arrivals JOIN arrival_bodies ON arrival_id = id WHERE arrivals.website_id = ?
         ORDER BY at, id`,
      ),
      websiteId,
    ),
  );
  const states = new Map<number, ArrivalState>();
  for (const { state, body, outcome } of arrivals) {
    const { delivery } = JSON.parse(body) as { delivery: number };
    if (states.has(delivery)) violations.push(`delivery ${delivery} is stored twice`);
    if (state !== "stored") violations.push(`delivery ${delivery} is ${state}: ${outcome}`);
    states.set(delivery, state);
  }
  for (const { number, isAcknowledged } of deliveries) {
    if (isAcknowledged && !states.has(number)) violations.push(`delivery ${number} was acknowledged and is lost`);
  }
  const stored = deliveries.filter(({ number }) => states.has(number));
  const articles = await store.read((db) =>
    db.all(
      declareRow<{ title: string; html: string; created: number }>(
        `SELECT articles.title AS title, article_bodies.html AS html,
           (SELECT count(*) FROM audit_log WHERE target_id = articles.id AND action = 'article.created') AS created
         FROM articles JOIN article_bodies ON article_bodies.row_no = articles.row_no WHERE articles.website_id = ?`,
      ),
      websiteId,
    ),
  );
  const titles = articles.map(({ title }) => title);
  const expected = new Set(stored.map(({ externalId }) => `Title of ${externalId}`));
  if (titles.length !== expected.size || new Set(titles).size !== expected.size) {
    violations.push(`there are the articles ${titles.join(", ")} in place of ${[...expected].join(", ")}`);
  }
  for (const { title, html, created } of articles) {
    if (created !== 1) violations.push(`${title} was created ${created} times`);
    const last = stored.findLast(({ externalId }) => title === `Title of ${externalId}`);
    if (html !== last?.text) violations.push(`${title} has the text ${html} in place of ${last?.text}`);
  }
  const acknowledged = deliveries.filter(({ isAcknowledged }) => isAcknowledged).length;
  return { violations, deliveries: deliveries.length, acknowledged, articles: articles.length };
}
