/** A mark for each topic of a website, which differs after a change: a few index lookups, however large it is. */
import { HOUR_MS, type Millis, startOfHour } from "../../domain/system/time.ts";
import { PRESENT_MS } from "../../domain/people/presence.ts";
import type { LiveTopic } from "../../domain/people/live-topics.ts";
import type { Grant } from "../../domain/people/permissions.ts";
import { MAX_SESSION_AGE_MS, SESSION_IDLE_MS } from "../../domain/people/account.ts";
import { inBatches, placeholders } from "./sql-batch.ts";
import { declareRow } from "../row.ts";
import type { Snapshot } from "../store.ts";

/** `inbox` belongs to a person, not a website: see `inboxMarks`. */
export type Marks = Record<Exclude<LiveTopic, "inbox">, string>;

export async function readMarks(db: Snapshot, websiteId: string, now: Millis): Promise<Marks> {
  const [website, endpoints, senders, members] = await Promise.all([
    websiteMarks(db, websiteId, now),
    endpointMarks(db, websiteId),
    senderMarks(db, websiteId),
    memberMarks(db, websiteId),
  ]);
  return {
    articles: mark(
      website?.epoch,
      website?.content_version,
      website?.review_version,
      website?.drafts,
      website?.drafted_at,
    ),
    keys: mark(
      website?.keys,
      website?.revoked,
      website?.key_at,
      website?.tokens,
      website?.tokens_revoked,
      website?.token_at,
    ),
    senders: mark(senders),
    webhooks: mark(endpoints.map((endpoint) => ({ ...endpoint, newest: null }))),
    deliveries: mark(
      website?.attempts,
      endpoints.map(({ newest }) => newest),
    ),
    reads: mark(website?.requests, website?.used_at, website?.token_used_at),
    members: mark(members),
    websites: mark(
      website?.name,
      website?.url,
      website?.url_pattern,
      website?.requires_second_factor,
      website?.requires_second_person,
      website?.publish_delay,
      website?.serves_feeds,
      website?.index_now_key,
    ),
    presence: mark(website?.present, website?.arrived_at),
  };
}

/** Grants of each session's person, by session. Missing are ended sessions, and those whose person may not sign in. */
export async function listGrants(
  db: Snapshot,
  sessionIds: readonly string[],
  now: Millis,
): Promise<Map<string, Grant[]>> {
  const found = new Map<string, Grant[]>();
  await inBatches(sessionIds, async (batch) => {
    const grants = await db.all(
      `SELECT s.id, m.website_id, m.role FROM sessions s JOIN accounts a ON a.id = s.account_id
         LEFT JOIN memberships m ON m.account_id = a.id AND m.accepted_at IS NOT NULL
       WHERE s.id IN (${placeholders(batch)}) AND s.last_seen_at > ? AND s.created_at > ? AND a.disabled_at IS NULL
         AND a.password_hash IS NOT NULL
       ORDER BY s.id, m.id`,
      ...batch,
      now - SESSION_IDLE_MS,
      now - MAX_SESSION_AGE_MS,
    );
    for (const { id, website_id: websiteId, role } of grants) {
      const known = found.get(id) ?? [];
      found.set(id, role === null ? known : [...known, { websiteId, role }]);
    }
  });
  return found;
}

export async function withSecondFactor(db: Snapshot, sessionIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  await inBatches(sessionIds, async (batch) => {
    const rows = await db.all(
      `SELECT id FROM sessions WHERE id IN (${placeholders(batch)}) AND second_factor = 1`,
      ...batch,
    );
    for (const { id } of rows) found.add(id);
  });
  return found;
}

/** By session: a marker that changes with the person's inbox. */
export async function inboxMarks(db: Snapshot, sessionIds: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await inBatches(sessionIds, async (batch) => {
    const rows = await db.all(
      declareRow<{ id: string; newest: number | null; unread: number }>(
        `SELECT s.id, (SELECT MAX(n.at) FROM notifications n WHERE n.account_id = s.account_id) AS newest,
           (SELECT COUNT(*) FROM (SELECT 1 FROM notifications n WHERE n.account_id = s.account_id AND n.read_at IS NULL
            LIMIT 200) AS found) AS unread
         FROM sessions s WHERE s.id IN (${placeholders(batch)})`,
      ),
      ...batch,
    );
    for (const { id, newest, unread } of rows) found.set(id, mark(newest, unread));
  });
  return found;
}

export async function countWebsites(db: Snapshot): Promise<number> {
  return (await db.get("SELECT COUNT(*) AS n FROM websites WHERE deleted_at IS NULL"))?.n ?? 0;
}

function mark(...values: unknown[]): string {
  return JSON.stringify(values);
}

function websiteMarks(db: Snapshot, websiteId: string, now: Millis) {
  // From then on counters may still increase.
  const since = startOfHour(now) - HOUR_MS;
  return db.get(
    `SELECT w.epoch, w.content_version, w.name, w.url, w.url_pattern, w.requires_second_factor,
       w.requires_second_person, w.publish_delay, w.serves_feeds, w.index_now_key, w.review_version,
       (SELECT COUNT(*) FROM draft_copies d WHERE d.website_id = w.id) AS drafts,
       (SELECT MAX(d.saved_at) FROM draft_copies d WHERE d.website_id = w.id) AS drafted_at,
       (SELECT COUNT(*) FROM api_keys k WHERE k.website_id = w.id) AS keys,
       (SELECT COUNT(k.revoked_at) FROM api_keys k WHERE k.website_id = w.id) AS revoked,
       (SELECT MAX(k.created_at) FROM api_keys k WHERE k.website_id = w.id) AS key_at,
       (SELECT MAX(k.last_used_at) FROM api_keys k WHERE k.website_id = w.id) AS used_at,
       (SELECT COUNT(*) FROM access_tokens t WHERE t.website_id = w.id) AS tokens,
       (SELECT COUNT(t.revoked_at) FROM access_tokens t WHERE t.website_id = w.id) AS tokens_revoked,
       (SELECT MAX(t.created_at) FROM access_tokens t WHERE t.website_id = w.id) AS token_at,
       (SELECT MAX(t.last_used_at) FROM access_tokens t WHERE t.website_id = w.id) AS token_used_at,
       (SELECT CAST(SUM(c.delivered + c.exhausted + c.retried) AS BIGINT) FROM delivery_counts c
        WHERE c.website_id = w.id AND c.hour >= ?) AS attempts,
       (SELECT COUNT(*) FROM presence p WHERE p.website_id = w.id AND p.seen_at > ?) AS present,
       (SELECT MAX(p.arrived_at) FROM presence p WHERE p.website_id = w.id AND p.seen_at > ?) AS arrived_at,
       (SELECT CAST(SUM(r.requests) AS BIGINT) FROM key_requests r WHERE r.website_id = w.id AND r.hour >= ?) AS requests
     FROM websites w WHERE w.id = ? AND w.deleted_at IS NULL`,
    since,
    now - PRESENT_MS,
    now - PRESENT_MS,
    since,
    websiteId,
  );
}

function endpointMarks(db: Snapshot, websiteId: string) {
  // A sealed text begins differently each time it is written.
  return db.all(
    `SELECT e.id, e.name, e.description, e.url, e.events, e.thin, e.extended, e.coalesce_ms, SUBSTR(e.headers, 1, 60) AS headers, LENGTH(e.ca) AS ca, e.state,
       e.disabled_at, e.consecutive_failures, e.replaying,
       (SELECT MAX(s.created_at) FROM endpoint_secrets s WHERE s.endpoint_id = e.id) AS secret_at,
       (SELECT MAX(d.no) FROM deliveries d WHERE d.endpoint_id = e.id) AS newest
     FROM endpoints e WHERE e.website_id = ? AND e.deleted_at IS NULL ORDER BY e.id`,
    websiteId,
  );
}

/** Arrivals are counted up to a limit: a list says no more. */
function senderMarks(db: Snapshot, websiteId: string) {
  // A sealed text begins differently each time it is written.
  return db.all(
    `SELECT s.id, s.kind, s.name, s.mapping, SUBSTR(s.secret, 1, 60) AS secret, s.previous_until, s.last_arrival_at,
       (SELECT MAX(a.at) FROM arrivals a WHERE a.sender_id = s.id AND a.state = 'stored') AS stored_at,
       (SELECT MAX(a.at) FROM arrivals a WHERE a.sender_id = s.id AND a.state = 'ignored') AS ignored_at,
       (SELECT MAX(a.at) FROM arrivals a WHERE a.sender_id = s.id AND a.state = 'needs_attention') AS failed_at,
       (SELECT COUNT(*) FROM (SELECT 1 FROM arrivals a WHERE a.sender_id = s.id AND a.state = 'needs_attention'
        LIMIT 1000) AS found) AS failed,
       (SELECT COUNT(*) FROM (SELECT 1 FROM arrivals a WHERE a.sender_id = s.id AND a.state = 'waiting'
        LIMIT 1000) AS found) AS waiting
     FROM senders s WHERE s.website_id = ? AND s.deleted_at IS NULL ORDER BY s.id`,
    websiteId,
  );
}

/** By role: the number of members, and what may change about them. */
function memberMarks(db: Snapshot, websiteId: string): Promise<object[]> {
  return db.all(
    `SELECT m.role, COUNT(*) AS n, MAX(m.created_at) AS added_at, COUNT(a.password_hash) AS active, COUNT(m.accepted_at) AS accepted,
       COUNT(a.disabled_at) AS disabled, MAX(a.disabled_at) AS disabled_at, MAX(a.last_sign_in_at) AS seen_at,
       COUNT(t.confirmed_at) AS totp
     FROM memberships m JOIN accounts a ON a.id = m.account_id LEFT JOIN totp t ON t.account_id = a.id
     WHERE m.website_id = ? OR m.website_id IS NULL GROUP BY m.role ORDER BY m.role`,
    websiteId,
  );
}
