/** The initial state of the webhook measurements: websites with webhooks, a backlog of deliveries, and approved articles. */
import { type App, openApp, type StoreOptions } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { parseArticleJson } from "../src/domain/articles/article-json.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import type { NewEvent } from "../src/domain/webhooks/event.ts";
import type { Website } from "../src/domain/system/website.ts";
import { append } from "../src/operations/articles/write/article-persistence.ts";
import { insertNew, prepareNew } from "../src/operations/articles/write/edit-article.ts";
import { createCause } from "../src/operations/articles/write/transition.ts";
import { createEndpoint } from "../src/operations/webhooks/endpoints.ts";
import { createWebsite } from "../src/operations/website/websites.ts";
import { SITE } from "./articles.ts";
import type { Place } from "./place.ts";
import type { BareJob } from "./webhook-jobs.ts";

/** Settings that let `rostrum serve` call receivers on this machine. */
export const WEBHOOK_ENVIRONMENT = {
  ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
  ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
};

const ACTOR = { id: "bench", mayApprove: true };

export function openWebhookApp({ folder, environment }: Place, options: StoreOptions = {}): Promise<App> {
  return openApp(readConfig({ ...environment, ...WEBHOOK_ENVIRONMENT }, folder), options);
}

/** `urls`: the webhook URLs of each website. */
export async function createWebsites(app: App, urls: readonly (readonly string[])[]): Promise<Website[]> {
  const websites: Website[] = [];
  for (const own of urls) {
    const website = await createWebsite(app, SITE, CLI_ORIGIN);
    for (const url of own) await createEndpoint(app, website.id, { url }, CLI_ORIGIN);
    websites.push(website);
  }
  return websites;
}

/**
 * Appends events, each of its own article and the same number per website, in one transaction, so that nothing is sent before
 * all are committed. `bytes`: size of each message's body.
 */
export async function appendBacklog(
  app: App,
  websites: readonly Website[],
  perWebsite: number,
  bytes: number,
): Promise<void> {
  await app.store.write(async (db) => {
    for (let number = 0; number < perWebsite; number++) {
      for (const { id } of websites) {
        await append(db, app, () => benchEvent(app, id, bytes), createCause(app, ACTOR));
      }
    }
  });
}

/** The same bodies as Rostrum sends. */
export function bareBodies(app: App, count: number, bytes: number): BareJob["bodies"] {
  return Array.from({ length: count }, () => benchEvent(app, app.newId(), bytes).payload);
}

/**
 * Creates approved articles, alternating between the websites, whose publication makes messages of about 2 KiB.
 *
 * @returns their ids.
 */
export async function createApproved(app: App, websites: readonly Website[], count: number): Promise<string[]> {
  const ids: string[] = [];
  const [first] = websites;
  if (first === undefined) return ids;
  const input = parseArticleJson({ title: "Note", slug: "note", content: PARAGRAPH.repeat(4), status: "approved" });
  const { composed } = await prepareNew(app, first, input);
  await app.store.write(async (db) => {
    for (let number = 0; number < count; number++) {
      const website = websites[number % websites.length] ?? first;
      const [title, slug] = [`Note ${number}`, `note-${number}`];
      const draft = {
        input: { ...input, title },
        composed: { ...composed, source: { ...composed.source, title, slug } },
      };
      ids.push((await insertNew(db, app, website, draft, { actor: ACTOR })).full.article.id);
    }
  });
  return ids;
}

const PARAGRAPH = "<p>The garden bench was painted last week, with two coats of oil, and is dry again.</p>";

function benchEvent(app: App, websiteId: string, bytes: number): NewEvent {
  const articleId = app.newId();
  const at = app.clock();
  const compose = (html: string) =>
    JSON.stringify({
      event: "article.published",
      timestamp: new Date(at).toISOString(),
      website_id: websiteId,
      data: { article_id: articleId, title: "Note", slug: "note", content: { html } },
    });
  const room = bytes - compose("").length;
  const html = PARAGRAPH.repeat(Math.ceil(room / PARAGRAPH.length)).slice(0, room);
  return {
    id: app.newId(),
    websiteId,
    kind: "article.published",
    articleId,
    createdAt: at,
    payload: compose(html),
    extension: null,
    traceparent: null,
  };
}
