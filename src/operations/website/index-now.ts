/**
 * IndexNow (https://www.indexnow.org): tells search engines which pages have changed. What is to be told are the
 * website's events since the last ping, so nothing is lost and nothing is queued twice. The leader sends a website's
 * changes together, with retries; a website that fails keeps no other from its turn.
 */
import type { ArticleStatus } from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import { foreignLine } from "../../domain/system/foreign-text.ts";
import { HOUR_MS, isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { patternUrl, type Website } from "../../domain/system/website.ts";
import {
  type ChangedArticle,
  findCurrentSlugs,
  type IndexNowPing,
  type IndexNowPosition,
  insertPing,
  listChanges,
  listDueForIndexNow,
  listPings,
  moveIndexNow,
  nextIndexNowAt,
} from "../../store/system/index-now.ts";
import type { Snapshot } from "../../store/store.ts";
import { findWebsite, loadWebsite } from "../../store/system/websites.ts";
import { catchFailure, type OnError } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";

const MINUTE_MS = 60_000;
/** Delays after the first, second, … failed try. After one more, these changes are given up. */
const WAITS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS] as const;
/** The protocol allows 10,000 addresses; a change has up to two. */
const EVENTS_AT_ONCE = 1_000;
const SHOWN_PINGS = 10;
const MAX_ERROR = 300;

type IndexNowDeps = Pick<Deps, "store" | "clock" | "newId" | "post">;

/** Tells search engines what changed on each website. @param endpoint of the protocol. @returns how many were told. */
export async function sendPings(deps: IndexNowDeps, endpoint: string, onError: OnError): Promise<number> {
  let told = 0;
  for (const position of await deps.store.read((db) => listDueForIndexNow(db, deps.clock()))) {
    let isAway = false;
    await catchFailure(
      async () => {
        const outcome = await sendPing(deps, endpoint, position);
        if (outcome === "sent") told++;
        isAway = outcome === "no answer";
      },
      async (error) => {
        onError(
          error,
          `the changes of website ${position.websiteId} could not be reported to IndexNow; they will be retried`,
        );
        await fail(deps, position, null, { addresses: 0, status: null, error: "An internal error; see the log." });
      },
    );
    // The others would only wait for it, too.
    if (isAway) break;
  }
  return told;
}

/** The latest pings, newest first, and when the next try is due; null: none. @throws AppError `not_found`. */
export function readPings(deps: Pick<Deps, "store">, websiteId: string) {
  return deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return { pings: await listPings(db, websiteId, SHOWN_PINGS), nextAt: await nextIndexNowAt(db, websiteId) };
  });
}

/** The JSON of the dashboard's API and of `--json`. */
export function pingsJson(pings: readonly IndexNowPing[], nextAt: Millis | null) {
  return {
    next_at: isoTimeOrNull(nextAt),
    pings: pings.map(({ at, addresses, outcome, status, error }) => ({
      at: isoTime(at),
      addresses,
      outcome,
      status,
      error,
    })),
  };
}

/** Where the website must answer with its key, so that search engines believe the pings; null if it sends none. */
export function indexNowKeyUrl({ url, indexNowKey }: Pick<Website, "url" | "indexNowKey">): string | null {
  return url === null || indexNowKey === null ? null : `${new URL(url).origin}/${indexNowKey}.txt`;
}

async function sendPing(deps: IndexNowDeps, endpoint: string, position: IndexNowPosition) {
  const found = await deps.store.read(async (db) => {
    const website = await findWebsite(db, position.websiteId);
    const keyLocation = website === undefined ? null : indexNowKeyUrl(website);
    if (website === undefined || keyLocation === null) return undefined;
    const changes = await listChanges(db, position, EVENTS_AT_ONCE);
    return { website, keyLocation, changes, addresses: await addressesOf(db, website, changes) };
  });
  const last = found?.changes.at(-1);
  if (found === undefined || last === undefined) return "nothing";
  const { website, keyLocation, addresses } = found;
  const now = deps.clock();
  if (addresses.length === 0) {
    await deps.store.write((db) => moveIndexNow(db, position, { sequence: last.sequence, tries: 0, readyAt: now }), {
      notify: false,
    });
    return "nothing";
  }
  const body = JSON.stringify({
    host: new URL(keyLocation).host,
    key: website.indexNowKey,
    keyLocation,
    urlList: addresses,
  });
  const headers = { "Content-Type": "application/json; charset=utf-8", "User-Agent": "Rostrum" };
  const result = await deps.post({ endpointId: "index-now", url: endpoint, ca: null, headers, body });
  const { status } = result;
  if (result.outcome === "success") {
    await record(
      deps,
      position,
      { sequence: last.sequence, tries: 0, readyAt: deps.clock() },
      {
        outcome: "sent",
        addresses: addresses.length,
        status,
        error: null,
      },
    );
    return "sent";
  }
  const error = result.error === null ? null : foreignLine(result.error, MAX_ERROR);
  await fail(deps, position, last, { addresses: addresses.length, status, error });
  return status === null ? "no answer" : "refused";
}

/** Plans the next try, or gives these changes up. */
async function fail(
  deps: IndexNowDeps,
  position: IndexNowPosition,
  last: ChangedArticle | null,
  facts: Pick<IndexNowPing, "addresses" | "status" | "error">,
): Promise<void> {
  const now = deps.clock();
  const wait = WAITS_MS[position.tries];
  if (wait === undefined && last !== null) {
    await record(
      deps,
      position,
      { sequence: last.sequence, tries: 0, readyAt: now },
      { ...facts, outcome: "given_up" },
    );
    return;
  }
  const next = { sequence: position.sequence, tries: position.tries + 1, readyAt: now + (wait ?? WAITS_MS[4]) };
  await record(deps, position, next, { ...facts, outcome: "retried" });
}

async function record(
  deps: IndexNowDeps,
  from: IndexNowPosition,
  to: Parameters<typeof moveIndexNow>[2],
  ping: Omit<IndexNowPing, "id" | "websiteId" | "at">,
): Promise<void> {
  const { websiteId } = from;
  await deps.store.write(
    async (db) => {
      // IndexNow may have been turned off meanwhile.
      if (!(await moveIndexNow(db, from, to))) return;
      await insertPing(db, { id: deps.newId(), websiteId, at: deps.clock(), ...ping });
    },
    { notify: false },
  );
}

/** The pages that the changes are about, where they were and where they are, on the website's own host. */
async function addressesOf(db: Snapshot, website: Website, changes: readonly ChangedArticle[]): Promise<string[]> {
  const host = website.url === null ? null : new URL(website.url).host;
  const found = new Set<string>();
  const add = (article: Parameters<typeof patternUrl>[1], platformUrl: string | null) => {
    const address = [platformUrl, patternUrl(website, article)].find((one) => one !== null && URL.canParse(one));
    found.add(address ?? `${website.url ?? ""}/blog/${encodeURIComponent(article.slug)}`);
  };
  const ids = changes.filter(({ kind }) => kind !== "article.deleted").map(({ articleId }) => articleId);
  const places = new Map((await findCurrentSlugs(db, website.id, ids)).map((place) => [place.id, place]));
  for (const { articleId: id, extension } of changes) {
    // Only this service writes it.
    const facts = JSON.parse(extension ?? "{}") as Extension;
    const place = places.get(id);
    const { previous } = facts;
    // The article had no page that anybody could know of.
    if (previous != null && previous.status !== "published") continue;
    const known = place?.language ?? null;
    const then = [
      {
        slug: facts.slug,
        language: facts.language === undefined ? (previous?.language ?? known) : facts.language,
        platform_url: facts.platform_url ?? previous?.platform_url,
      },
      ...(previous == null ? [] : [previous]),
    ];
    for (const { slug, language, platform_url } of then) {
      const hasNewAddress = platform_url !== undefined && platform_url !== place?.platform_url;
      const hasMoved = hasNewAddress || slug !== place?.slug || language !== place?.language;
      if (slug !== undefined && (platform_url != null || hasMoved)) add({ id, slug, language }, platform_url ?? null);
    }
  }
  for (const { platform_url, ...place } of places.values()) add(place, platform_url);
  return [...found].filter((address) => new URL(address).host === host);
}

interface Extension extends PageFacts {
  previous?: (Required<PageFacts> & { status: ArticleStatus }) | null;
}

/** What was recorded of a page; an event of each kind names other facts. */
interface PageFacts {
  slug?: string;
  language?: string | null;
  platform_url?: string | null;
}
