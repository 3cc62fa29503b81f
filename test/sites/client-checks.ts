/**
 * What the client promises, checked against a real service on any runtime: this file uses nothing but the client and the standards
 * of the web. `runtimes.ts` runs it on Node.js, Bun, Deno and workerd.
 */
import type * as clientModule from "../../client/src/index.ts";
import type * as managementModule from "../../client/src/management/index.ts";
import type * as siteModule from "../../client/src/site/index.ts";
import type * as testingModule from "../../client/src/testing.ts";

export interface Runtime {
  client: typeof clientModule;
  management: typeof managementModule;
  site: typeof siteModule;
  testing: typeof testingModule;
  /** Opens a store for a mirror. Opening it again finds the same copy. */
  stores: Record<string, () => Promise<clientModule.ArticleStore> | clientModule.ArticleStore>;
  /** URL of the relay to the service, which `control` can break. */
  url: string;
  key: string;
  /** An access token of scope `publish`. */
  token: string;
  secret: string;
  /** URL that takes commands (`runtimes.ts`). */
  control: string;
  /** How many articles the service has. */
  articles: number;
}

/** Responses of the relay so far. */
export interface Counts {
  fresh: number;
  confirmed: number;
  refused: number;
  /** Connections that the relay has closed without a response. */
  broken: number;
}

/** A command for `control`; an empty one only returns the counts. */
export interface Command {
  /** How the relay treats requests; `busy`: it refuses the next one with a 429. */
  relay?: "pass" | "busy" | "down" | "hang";
  /** Changes an article. */
  slug?: string;
  fields?: { title?: string; slug?: string };
  /** Saves a draft with this title; returns its slug and a preview token. */
  draft?: string;
  /** Returns the webhook about the article with this title. */
  webhook?: string;
}

/** @returns the names of the checks. @throws the error of the first check that fails. */
export async function checkClient(runtime: Runtime): Promise<string[]> {
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check(runtime);
    } catch (error) {
      throw new Error(`${name}: ${String((error as Error).stack)}`, { cause: error });
    }
  }
  return Object.keys(CHECKS);
}

const CHECKS: Record<string, (runtime: Runtime) => Promise<void>> = {
  async "the rate limit is kept"(runtime) {
    await untilLimitIsFull(runtime);
    const rostrum = connect(runtime, { cache: false });
    const slugs = Array.from({ length: 150 }, (_none, index) => `article-${index}`);
    const { refused } = await counted(runtime, async () => {
      const articles = await Promise.all(slugs.map((slug) => rostrum.articles.getBySlug(slug)));
      equal(
        articles.map((article) => article?.slug),
        slugs,
      );
    });
    equal(refused, 0);
  },

  async "lists and single articles"(runtime) {
    const rostrum = connect(runtime);
    const { articles, pagination } = await rostrum.articles.list({ tag: "tag-3", limit: 2, fields: ["id", "slug"] });
    equal(articles.length, 2);
    ok(pagination.total > 2, "pagination");
    const [{ id, slug } = { id: "", slug: "" }] = articles;
    equal((await rostrum.articles.get(id))?.slug, slug);
    equal((await rostrum.articles.getBySlug(slug))?.id, id);
    equal(await rostrum.articles.get("00000000-0000-4000-8000-000000000000"), null);
    equal(await rostrum.articles.getBySlug("none"), null);
    for (const none of ["", ".", "..", "\0", "\uD800", ";".repeat(7000), ",".repeat(7000)]) {
      equal([await rostrum.articles.get(none), await rostrum.articles.getBySlug(none)], [null, null]);
    }
    for (const tag of ["none", "\0", "a".repeat(1001), ";".repeat(7000)]) {
      equal((await rostrum.articles.list({ tag, limit: 1 })).pagination, { total: 0, limit: 1, offset: 0 });
    }
    equal((await rostrum.articles.related(id)).length, 5);
    const tags = await rostrum.tags();
    equal(new Set(tags.map((tag) => tag.slug)).size, tags.length);
    ok(tags.length > 100, `${tags.length} tags`);
    equal(await rostrum.categories(), []);
    const refusal = await failure(rostrum.articles.list({ limit: 0 }));
    ok(refusal instanceof runtime.client.RostrumError, "RostrumError");
    equal([refusal.status, refusal.param], [400, "limit"]);
  },

  async "a whole list while it changes"(runtime) {
    const slugs: string[] = [];
    for await (const { slug } of connect(runtime).articles.all({ fields: ["slug"] })) {
      if (slugs.length === 150) await change(runtime, "article-0", { title: unique("Changed while it is listed") });
      slugs.push(slug);
    }
    equal(new Set(slugs).size, slugs.length);
    equal(slugs.length, runtime.articles);
  },

  async "earlier slugs"(runtime) {
    const rostrum = connect(runtime);
    await change(runtime, "article-1", { slug: "moved" });
    equal((await rostrum.articles.getBySlug("article-1"))?.slug, "moved");
    const redirects: string[] = [];
    for await (const { from, slug } of rostrum.redirects()) redirects.push(`${from} ${slug}`);
    equal(redirects, ["article-1 moved"]);
    await change(runtime, "moved", { slug: "article-1" });
  },

  async "answers are confirmed by their ETags"(runtime) {
    const rostrum = connect(runtime);
    const read = () => rostrum.articles.getBySlug("article-2");
    const before = await read();
    const { confirmed, fresh } = await counted(runtime, async () => equal(await read(), before));
    equal([confirmed, fresh], [1, 0]);
    const title = unique("Changed");
    await change(runtime, "article-2", { title });
    equal((await read())?.title, title);
  },

  async "answers are reused until something changes"(runtime) {
    const rostrum = connect(runtime, { cache: { maxAgeMs: 600_000 } });
    const read = () => rostrum.articles.getBySlug("article-3");
    const first = await counted(runtime, () => Promise.all([read(), read(), read()]));
    equal(first.confirmed, 0);
    // On a busy machine the first request may take longer than the others wait for it; then they share another one.
    ok(first.fresh <= 2, `${first.fresh} requests`);
    const before = await read();
    const title = unique("Changed");
    await change(runtime, "article-3", { title });
    equal(await read(), before);
    rostrum.changed();
    equal((await read())?.title, title);
  },

  async previews(runtime) {
    const { slug, token } = (await control(runtime, { draft: unique("Draft") })) as Record<string, string>;
    const rostrum = connect(runtime);
    equal(await rostrum.articles.getBySlug(slug ?? ""), null);
    equal((await rostrum.articles.getBySlug(slug ?? "", { previewToken: token }))?.slug, slug);
    equal(await rostrum.articles.getBySlug(slug ?? ""), null);
    for (const previewToken of ["\u6F22", "a\nb", ""])
      equal((await rostrum.articles.getBySlug("article-2", { previewToken }))?.slug, "article-2");
  },

  async "refusals for the moment are waited out"(runtime) {
    await control(runtime, { relay: "busy" });
    const { refused } = await counted(runtime, async () => {
      equal((await connect(runtime).articles.getBySlug("article-4"))?.title, "Article 4");
    });
    ok(refused > 0, "nothing was refused");
  },

  async "an outage is waited out, and a long one ends in an error"(runtime) {
    await control(runtime, { relay: "down" });
    const failed = await failure(connect(runtime, { giveUpAfterMs: 300 }).articles.list());
    ok(failed instanceof runtime.client.RostrumError && failed.status === 0, String(failed));
    const { broken: before } = await count(runtime);
    const waiting = connect(runtime).articles.getBySlug("article-5");
    await until(async () => (await count(runtime)).broken > before);
    await control(runtime, { relay: "pass" });
    equal((await waiting)?.title, "Article 5");
  },

  async "time-outs and signals end requests"(runtime) {
    await control(runtime, { relay: "hang" });
    const late = await failure(connect(runtime, { timeoutMs: 200, giveUpAfterMs: 0 }).articles.list());
    ok(late instanceof runtime.client.RostrumError && late.status === 0, String(late));
    const rostrum = connect(runtime, { maxConcurrent: 1 });
    const stop = new AbortController();
    const requests = ["article-6", "article-7"].map((slug) =>
      failure(rostrum.articles.getBySlug(slug, { signal: stop.signal })),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    stop.abort(new Error("stopped"));
    for (const error of await Promise.all(requests)) equal((error as Error).message, "stopped");
    await control(runtime, { relay: "pass" });
    // Aborted requests have released their slots.
    equal((await rostrum.articles.getBySlug("article-6"))?.title, "Article 6");
  },

  async "events are followed"(runtime) {
    const stop = new AbortController();
    const rostrum = connect(runtime);
    const { latest_sequence: after } = (await rostrum.events.list({ limit: 1 })).pagination;
    const events = rostrum.events.follow({ after, intervalMs: 50, signal: stop.signal });
    const first = events.next();
    const [one, another] = [unique("First"), unique("Second")];
    await change(runtime, "article-8", { title: one });
    equal(titleOf(await first), one);
    await change(runtime, "article-8", { title: another });
    equal(titleOf(await events.next()), another);
    const none = failure(events.next());
    stop.abort(new Error("enough"));
    equal(((await none) as Error).message, "enough");
  },

  async "webhooks are verified"(runtime) {
    const { client, secret } = runtime;
    const title = unique("Told by a webhook");
    await change(runtime, "article-9", { title });
    const { headers, body } = (await control(runtime, { webhook: title })) as {
      headers: Record<string, string>;
      body: string;
    };
    const { id, event, sequence } = await client.verifyWebhook({ headers, body }, secret);
    equal([id, event.event, (sequence ?? 0) > 0], [headers["webhook-id"], "article.updated", true]);
    const request = (text: string) => new Request("https://site.test/", { method: "POST", headers, body: text });
    equal((await client.verifyWebhook(request(body), ["whsec_AAAA", secret])).id, id);
    const forged = await failure(client.verifyWebhook(request(`${body} `), secret));
    ok(forged instanceof client.WebhookVerificationError, String(forged));
  },

  async "copies are brought up to date"(runtime) {
    for (const [name, open] of Object.entries(runtime.stores)) {
      const rostrum = connect(runtime);
      const store = await open();
      equal((await rostrum.sync({ store })).changed.length, runtime.articles, name);
      const same = await counted(runtime, async () => equal(await rostrum.sync({ store }), NOTHING, name));
      equal([same.confirmed, same.fresh], [1, 0], name);
      const title = unique("Copied");
      await change(runtime, "article-10", { title });
      const { id } = (await rostrum.articles.getBySlug("article-10")) ?? { id: "" };
      // May include other articles that were changed within the last seconds.
      ok((await rostrum.sync({ store })).changed.includes(id), name);
      // The files are there when the store is opened again.
      const reopened = name === "memory" ? store : await open();
      equal(await rostrum.sync({ store: reopened }), NOTHING, name);
      const copied = await reopened.getBySlug("article-10");
      equal([copied?.title, copied?.content], [title, (await rostrum.articles.getBySlug("article-10"))?.content]);
      equal(
        (await reopened.list({ tag: "tag-3", limit: 1 })).total,
        (await rostrum.articles.list({ tag: "tag-3" })).pagination.total,
      );
    }
  },

  async "a mirror serves through an outage"(runtime) {
    for (const [name, open] of Object.entries(runtime.stores)) {
      const errors: unknown[] = [];
      const onError = (error: unknown) => void errors.push(error);
      const rostrum = connect(runtime, { giveUpAfterMs: 100 });
      const mirror = await rostrum.mirror({ store: await open(), intervalMs: 50, onError });
      await mirror.refresh();
      await control(runtime, { relay: "down" });
      const title = unique("Changed during an outage");
      await change(runtime, "article-11", { title });
      await until(() => errors.length > 1);
      equal((await mirror.getBySlug("article-11"))?.slug, "article-11", name);
      equal((await mirror.list({ limit: 1 })).total, runtime.articles, name);
      await control(runtime, { relay: "pass" });
      await until(async () => (await mirror.getBySlug("article-11"))?.title === title);
      await mirror.close();
    }
  },

  async "articles are written, alone and many, and approved as they were seen"(runtime) {
    const { management, url, token } = runtime;
    const { articles, me } = management.createManagementClient({ url, token });
    equal((await me()).token.scope, "publish");
    const id = unique("written");
    await control(runtime, { relay: "busy" });
    const { outcome, article } = await articles.upsert(id, { title: "Written", markdown: "Text" });
    equal([outcome, article.state], ["created", "in_review"]);
    const changed = await articles.update(article, { title: "Changed" });
    const stale = await failure(articles.approve({ ...article, etag: "1-1" }));
    ok(stale instanceof management.ManagementError && stale.code === "stale", String(stale));
    equal((await articles.approve(changed)).state, "approved");
    async function* many() {
      for (let no = 0; no < 30; no++) yield { external_id: `${id} ${no}`, title: `Many ${no}`, markdown: "Text" };
    }
    const outcomes = new Set<string>();
    for await (const item of articles.batch(many(), { maxCharacters: 1_000 })) outcomes.add(item.outcome);
    equal([...outcomes], ["created"]);
    equal((await articles.getByExternalId(`${id} 29`))?.title, "Many 29");
    await articles.delete({ id: changed.id, etag: "*" });
  },

  async "feeds, and helpers for tests"({ site, testing, client }) {
    const article = testing.makeArticle({ title: "Water for Tea", tags: ["tea"] });
    const rostrum = testing.createTestClient([article]);
    const { articles } = await rostrum.articles.list({ include: "content" });
    const website = { url: "https://site.test/", title: "Tea" };
    ok(site.atomFeed(website, articles, { feedUrl: "https://site.test/feed.xml" }).includes("Water for Tea"), "feed");
    ok(site.sitemap(website, articles, () => "").index.includes("/blog/water-for-tea<"), "sitemap");
    ok(site.jsonLd(website, article).includes("BlogPosting"), "JSON-LD");
    const event = { event: "article.deleted", data: { article_id: article.id } } as clientModule.ArticleEvent;
    const secret = "whsec_c2VjcmV0";
    const message = await client.verifyWebhook(await testing.makeWebhookRequest(event, secret), secret);
    equal(message.event, event);
  },
};

const NOTHING = { changed: [], removed: [] };

function connect({ client, url, key }: Runtime, options: Partial<clientModule.TransportOptions> = {}) {
  return client.createClient({ url, key, ...options });
}

async function control({ control }: Pick<Runtime, "control">, command: Command): Promise<unknown> {
  const response = await fetch(control, { method: "POST", body: JSON.stringify(command) });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

async function change(
  runtime: Pick<Runtime, "control">,
  slug: string,
  fields: Command["fields"] & object,
): Promise<void> {
  await control(runtime, { slug, fields });
}

async function counted(runtime: Runtime, work: () => Promise<unknown>) {
  const before = await count(runtime);
  await work();
  const now = await count(runtime);
  return {
    confirmed: now.confirmed - before.confirmed,
    fresh: now.fresh - before.fresh,
    refused: now.refused - before.refused,
  };
}

async function count(runtime: Runtime): Promise<Counts> {
  return (await control(runtime, {})) as Counts;
}

/** Polls rarely, because each poll is counted as well. */
async function untilLimitIsFull({ url, key }: Runtime): Promise<void> {
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { headers } = await fetch(`${url}/api/public/state`, { headers: { "X-API-Key": key } });
    return Number(/;r=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1]) > 40;
  });
}

/** A different title on each call, because earlier runtimes have made the same changes. */
function unique(title: string): string {
  return `${title} ${Math.random()}`;
}

function titleOf({ value }: IteratorResult<clientModule.FeedEvent, void>): unknown {
  return (value?.data as { title?: string } | undefined)?.title;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    ok(tries < 1000, `never: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    (value) => new Error(`It did not fail: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

function equal(actual: unknown, expected: unknown, what = ""): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  ok(one === other, `${what} ${one} instead of ${other}`);
}

function ok(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
