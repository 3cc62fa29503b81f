/** Changes articles in quick succession while visitors have pages rendered, and counts pages that are old one second after their webhook. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../client/src/index.ts";
import type { ServedSite, SiteTest } from "./site.ts";

/** Number of articles that change at the same time. */
const ARTICLES_AT_ONCE = 10;
const VISITORS = 4;
/** Short enough that a change often arrives while a page is rendered after the previous one. */
const MAX_PAUSE_MS = 1200;
const GIVE_UP_AFTER_MS = 20_000;

/** Fails if a page or a list is still outdated `lookAfterMs` after the site accepted the webhook. @returns a summary. */
export async function checkFreshness({ url, read }: ServedSite, test: SiteTest): Promise<string> {
  const { service, changes, lookAfterMs } = test;
  const client = createClient({ url: service.url, key: service.key });
  const { articles } = await client.articles.list({ limit: ARTICLES_AT_ONCE, lang: "en", fields: ["id", "slug"] });
  service.receiver = `${url}/hooks/rostrum`;
  const rounds = Math.ceil(changes / articles.length);
  /** How late each outdated page showed the change, milliseconds. */
  const late: { pages: number[]; lists: number[] } = { pages: [], lists: [] };
  const before = service.traffic();
  let looks = 0;
  let visits = 0;

  const look = async (slug: string, change: number) => {
    const acceptedAt = await service.acceptedAt(titleOf(slug, change));
    await sleep(lookAfterMs - (performance.now() - acceptedAt));
    const [page, list] = await Promise.all([read(`/blog/${slug}`), read("/")]);
    looks += 1;
    const dueAt = acceptedAt + lookAfterMs;
    if (changeShown(page, slug) < change) late.pages.push(await untilShown(`/blog/${slug}`, slug, change, dueAt));
    if (changeShown(list, slug) < change) late.lists.push(await untilShown("/", slug, change, dueAt));
  };
  const untilShown = async (path: string, slug: string, change: number, dueAt: number) => {
    for (;;) {
      await sleep(100);
      const lateMs = Math.round(performance.now() - dueAt);
      if (changeShown(await read(path), slug) >= change || lateMs > GIVE_UP_AFTER_MS) return lateMs;
    }
  };
  const over = new AbortController();
  const visitors = Array.from({ length: VISITORS }, async () => {
    while (!over.signal.aborted) {
      const { slug } = articles[Math.floor(Math.random() * articles.length)] ?? { slug: "" };
      await Promise.all([read(`/blog/${slug}`), read("/")]);
      visits += 2;
      await sleep(5);
    }
  });
  const pending: Promise<void>[] = [];
  const authors = articles.map(async ({ id, slug }) => {
    for (let change = 1; change <= rounds; change++) {
      await sleep(Math.random() * MAX_PAUSE_MS);
      await service.change(id, { title: titleOf(slug, change) });
      pending.push(look(slug, change));
    }
  });
  await Promise.all(authors);
  await sleep(MAX_PAUSE_MS);
  over.abort();
  await Promise.all([...visitors, ...pending]);
  service.receiver = null;
  assert.equal(looks, rounds * articles.length);
  const { requests, refused } = service.traffic();
  const asked = `${requests - before.requests} requests to the API, ${refused - before.refused} refused`;
  assert.deepEqual(late, { pages: [], lists: [] }, `${visits} visits, ${asked}`);
  return `${looks} changes, ${visits} visits, ${asked}: ${lookAfterMs / 1000} s after the webhook no page and no list was old`;
}

function titleOf(slug: string, change: number): string {
  return `Change ${change} of ${slug}.`;
}

/** @returns the number of the oldest change that the page shows; 0 if none. */
function changeShown(page: string, slug: string): number {
  const shown = page.split(` of ${slug}.`).slice(0, -1);
  return Math.min(
    ...shown.map((text) => Number(/Change (\d+)$/.exec(text)?.[1] ?? 0)),
    ...(shown.length === 0 ? [0] : []),
  );
}
