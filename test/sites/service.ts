/** A service with articles, a slow network to it, and a proxy for its webhooks that records when the site accepted them. */
import { mkdirSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { buffer } from "node:stream/consumers";
import { createClient } from "../../client/src/index.ts";
import { openApp } from "../../src/app/app.ts";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { DAY_MS } from "../../src/domain/system/time.ts";
import {
  createArticle,
  scheduleArticle,
  unpublishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { deriveContent } from "../helpers/content.ts";
import { record } from "../helpers/http.ts";
import { awkwardSlug, awkwardTags } from "./awkward.ts";

/** Delay in each direction on the slow network, milliseconds. */
const [MIN_DELAY_MS, MAX_DELAY_MS] = [62, 187];

export interface SiteService extends AsyncDisposable {
  /** URLs of the service: direct, and through a network that adds 125 to 375 ms. */
  url: string;
  slowUrl: string;
  key: string;
  /** An access token of scope `publish`. */
  token: string;
  secret: string;
  /** The requests to the API so far, through both URLs. */
  traffic(): Traffic;
  /** The URL that webhooks are forwarded to; until it is set, they are refused. */
  receiver: string | null;
  /** Holds back the next answer to a path that matches, on the slow network. */
  hold(path: RegExp): HeldAnswer;
  change(id: string, fields: ArticleChange): Promise<void>;
  /** @param lang of the article; without it, the first one with the slug. */
  changeBySlug(slug: string, fields: ArticleChange, lang?: string): Promise<void>;
  /**
   * Takes the article down, and makes two that are not published: one approved, one scheduled.
   * @returns the slugs that no page may show, and the id of the one that was taken down.
   */
  hide(slug: string): Promise<{ slugs: string[]; unpublished: string }>;
  /** Saves an article that is not published. @returns its slug, and the query of its preview's address. */
  draft(title: string): Promise<{ slug: string; search: string }>;
  /** When the site accepted the webhook with this title, or of this deleted article (2xx), by `performance.now()`. */
  acceptedAt(title: string): Promise<number>;
}

interface HeldAnswer {
  /** Resolves when the request has arrived. */
  arrived: Promise<void>;
  release: () => void;
}

interface ArticleChange {
  title?: string;
  slug?: string;
}

interface Traffic {
  requests: number;
  /** Answered with 429. */
  refused: number;
  /** How long the client was busy: at least one request was in flight, or the next one followed shortly. */
  busyMs: number;
}

/** A client is still busy during a pause between requests that is shorter than this. */
const MAX_WAIT_MS = 1100;

/**
 * @param data a folder that does not exist yet.
 * @param translated how many of the articles have a German translation with the same slug.
 */
export async function startSiteService(data: string, articles: number, translated: number): Promise<SiteService> {
  mkdirSync(data);
  await using opened = new AsyncDisposableStack();
  const accepted = new Map<string, number>();
  const traffic = new TrafficCount();
  const service: Partial<SiteService> & { receiver: string | null } = { receiver: null };

  const relay = await listen(opened, async (incoming, response) => {
    const body = await buffer(incoming);
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    if (service.receiver === null) {
      response.writeHead(503).end();
      return;
    }
    const answer = await fetch(service.receiver, { method: "POST", headers, body });
    const { title, article_id: id } = record(record(JSON.parse(body.toString()))["data"]);
    if (answer.ok) accepted.set(String(title ?? id), performance.now());
    response.writeHead(answer.status).end();
  });

  const create = ["website", "create", "--name", "Site", "--preview-url", PREVIEW, "--language", "en"];
  const website = String((await cliJson(create, { data }))["id"]);
  // The texts are too short to be articles.
  await runCli(["website", "integrity-gate", website, "off"], { data });
  if (translated > 0) {
    const pattern = "https://example.com{/lang}/blog/{slug}";
    await cliJson(["website", "slugs", website, "per-language", "--url-pattern", pattern], { data });
  }
  const newKey = ["key", "create", "--website", website, "--name", "site", "--scope", "published"];
  const { key } = await cliJson(newKey, { data });
  const newToken = ["token", "create", "--website", website, "--name", "site", "--scope", "publish"];
  const { token } = await cliJson(newToken, { data });
  const { secret } = await cliJson(["webhook", "create", "--website", website, "--url", `${relay}/hooks`], {
    data,
    env: ENVIRONMENT,
  });
  const lines = [
    ...Array.from({ length: articles }, (_none, index) => ({
      ...articleOf(index, articles),
      ...(index < translated && { translation_group: groupOf(index) }),
    })),
    ...Array.from({ length: translated }, (_none, index) => translationOf(index, articles)),
  ].map((article) => JSON.stringify(article));
  const imported = await runCli(["import", "-", "--format", "ndjson", "--website", website], {
    data,
    stdin: lines.join("\n"),
    withinMs: 300_000,
  });
  if (imported.code !== 0) throw new Error(imported.stderr);
  const server = opened.use(await serveCli({ data, env: ENVIRONMENT, withinMs: 1_800_000 }));

  const holds: { path: RegExp; arrive: () => void; released: Promise<void> }[] = [];
  const wayTo = (delay: () => number) =>
    listen(opened, async (incoming, response) => {
      const finish = traffic.begin();
      response.once("close", () => finish(response.statusCode));
      await sleep(delay());
      const { url, method, headers } = incoming;
      const onward = request(new URL(url ?? "/", server.url), { method, headers }, (answer) => {
        const held = delay() === 0 ? undefined : holds.find(({ path }) => path.test(url ?? ""));
        if (held !== undefined) holds.splice(holds.indexOf(held), 1);
        held?.arrive();
        void Promise.all([sleep(delay()), held?.released]).then(() =>
          answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)),
        );
      });
      onward.on("error", () => response.destroy());
      incoming.pipe(onward);
    });
  const url = await wayTo(() => 0);
  const slowUrl = await wayTo(() => MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS));

  const reader = createClient({ url: server.url, key: String(key) });
  // Changes are made by another process, as commands do.
  const app = opened.use(await openApp(readConfig({ ROSTRUM_DATA_DIR: data }, data)));
  const change = async (id: string, fields: ArticleChange) =>
    void (await updateArticle({ ...app, deriveContent }, id, fields, CLI_ACTOR));
  const idOf = async (slug: string, lang?: string) =>
    (await reader.articles.list({ slug, lang, fields: ["id"] })).articles[0]?.id ?? "";
  const lasting = opened.move();
  return Object.assign(service, {
    url,
    slowUrl,
    key: String(key),
    token: String(token),
    secret: String(secret),
    traffic: () => traffic.read(),
    hold(path: RegExp) {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holds.push({ path, arrive: arrived.resolve, released: released.promise });
      return { arrived: arrived.promise, release: released.resolve };
    },
    change,
    async changeBySlug(slug: string, fields: ArticleChange, lang?: string) {
      await change(await idOf(slug, lang), fields);
    },
    async hide(slug: string) {
      const create = async (title: string) => {
        const input: ArticleInput = { title, markdown: "Not yet.", tags: ["tag-2"], status: "approved" };
        return (await createArticle({ ...app, deriveContent }, website, input, CLI_ACTOR)).article;
      };
      const approved = await create("Only approved");
      const scheduled = await create("Next year");
      await scheduleArticle(app, scheduled.id, app.clock() + 365 * DAY_MS, CLI_ACTOR);
      const unpublished = await idOf(slug);
      await unpublishArticle(app, unpublished, CLI_ACTOR);
      return { slugs: [approved.slug, scheduled.slug, slug], unpublished };
    },
    async draft(title: string) {
      const stdin = JSON.stringify({ title, markdown: "Not published yet." });
      const saved = await cliJson(["article", "create", "--website", website, "--file", "-"], { data, stdin });
      const { url: address } = await cliJson(["article", "preview", String(saved["id"])], { data });
      return { slug: String(saved["slug"]), search: new URL(String(address)).search };
    },
    async acceptedAt(title: string) {
      for (const end = performance.now() + 30_000; performance.now() < end; await sleep(10)) {
        const at = accepted.get(title);
        if (at !== undefined) return at;
      }
      throw new Error(`No webhook with the title "${title}" was accepted within 30 s.`);
    },
    [Symbol.asyncDispose]: () => lasting.disposeAsync(),
  });
}

class TrafficCount {
  #requests = 0;
  #refused = 0;
  #busyMs = 0;
  #active = 0;
  #lastAt = -Infinity;

  /** @returns a function to call with the status of the response. */
  begin(): (status: number) => void {
    this.#requests += 1;
    this.#advance();
    this.#active += 1;
    return (status) => {
      this.#advance();
      this.#active -= 1;
      if (status === 429) this.#refused += 1;
    };
  }

  read(): Traffic {
    return { requests: this.#requests, refused: this.#refused, busyMs: this.#busyMs };
  }

  #advance(): void {
    const now = performance.now();
    const passed = now - this.#lastAt;
    if (this.#active > 0 || passed < MAX_WAIT_MS) this.#busyMs += passed;
    this.#lastAt = now;
  }
}

/** Only its query is used, because each site has its own URL. */
const PREVIEW = "http://127.0.0.1/preview?slug={slug}&token={token}";
/** Other tests turn the rate limit off; here it is the default. */
const ENVIRONMENT = {
  ROSTRUM_RATE_LIMIT: "",
  ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
  ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
};

function articleOf(index: number, articles: number) {
  const slug = awkwardSlug(index, articles);
  return {
    title: slug ?? `Article ${index}`,
    slug: slug ?? `article-${index}`,
    markdown: `Article **${index}** says something.\n\n`.repeat(40),
    tags: [`tag-${index % 7}`, ...awkwardTags(index)],
    status: "published",
    canonical_url: index === 18 ? "https://first.example/18" : null,
  };
}

const groupOf = (index: number) => `article-${index}`;

function translationOf(index: number, articles: number) {
  const title = `Artikel ${index}`;
  return { ...articleOf(index, articles), title, language: "de", translation_group: groupOf(index), tags: ["deutsch"] };
}

async function listen(
  opened: AsyncDisposableStack,
  answer: (...args: Parameters<Parameters<typeof createServer>[1] & object>) => Promise<void>,
): Promise<string> {
  const server: Server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  opened.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
