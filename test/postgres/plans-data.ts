/** A large database in seconds: rows by PostgreSQL itself, with what the plans depend on and little else. */
import type { Client } from "pg";
import { bands } from "../../src/domain/articles/content/measure/fingerprint.ts";

/** Websites and their parts of all articles, in percent. */
const SITES = { large: 89, middle: 10, small: 1 } as const;
const ENDPOINTS = 20;
const SENDERS = 1_000;
export const QUEUED = 100_000;
/** The first is deleted, the second paused: both have a backlog. */
export const endpointOf = (number: number) => `endpoint-${number}`;
/** That of some articles of the large website. */
export const MINHASH = Buffer.alloc(256).toString("base64");
export const articleOf = (rowNo: number) => `article-${String(rowNo).padStart(12, "0")}`;

/** `count` articles with their bodies, labels, words and events, three deliveries to ten articles and their attempts. */
export async function fill(client: Client, count: number): Promise<void> {
  const site = `CASE WHEN n % 100 < ${SITES.large} THEN 'large' WHEN n % 100 < ${SITES.large + SITES.middle} THEN 'middle' ELSE 'small' END`;
  const article = "'article-' || lpad(n::text, 12, '0')";
  const all = `generate_series(1, ${count}) AS n`;
  const deliveries = QUEUED + Math.floor(count * 0.3);
  const endpoint = `'endpoint-' || (n % ${ENDPOINTS})`;
  const delivered = `generate_series(1, ${deliveries}) AS n`;
  for (const statement of [
    "SET synchronous_commit = off",
    `INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch)
     SELECT site, site, 0, ${count}, ${count}, 'e' FROM unnest(ARRAY['large', 'middle', 'small']) AS site`,
    `INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch)
     SELECT 'site-' || n, 'site', 0, 1, 0, 'e' FROM generate_series(1, 5000) AS n`,
    "INSERT INTO website_changes (website_id, xid) SELECT id, pg_current_xact_id() FROM websites",
    `INSERT INTO articles (row_no, id, website_id, status, title, title_key, slug, excerpt, seo_keywords, categories, tags,
       word_count, reading_time, created_at, updated_at, saved_at, state_since, published_at, publish_at, content_hash, deleted_at,
       version, list_form, origin)
     SELECT n, ${article}, ${site}, (ARRAY['published', 'published', 'published', 'approved', 'pending'])[1 + n / 7 % 5],
       'Title ' || n, 'title ' || n, 'slug-' || n, 'excerpt', '[]', '[]', '[]', 500, 3, n * 7919::bigint % 1000000007,
       n, n, n * 104729::bigint % 1000000007, n * 7919::bigint % 1000000007, CASE WHEN n % 5000 = 0 THEN n END, md5(n::text),
       CASE WHEN n % 20 = 0 THEN 1 END, n, repeat(md5(n::text), 20),
       CASE WHEN n % 50 = 0 THEN 'api' ELSE 'written' END
     FROM ${all}`,
    `INSERT INTO article_bodies (row_no, website_id, html, markdown, text, source, internal_links, links_supplied, metrics,
       supplied_steps, steps)
     SELECT n, ${site}, 'html', 'markdown', 'text', 'html', '[]', 0, '{}', '[]', '[]' FROM ${all}`,
    `INSERT INTO article_findings (row_no, kind, website_id, is_blocking)
     SELECT n, CASE WHEN n % 50 = 0 THEN 'placeholder' ELSE 'todo' END, ${site}, CASE WHEN n % 50 = 0 THEN 1 ELSE 0 END
     FROM ${all} WHERE n % 5 = 0`,
    `INSERT INTO rechecked_metrics (row_no, website_id, engine_version, metrics)
     SELECT n, ${site}, '2', '{}' FROM ${all} WHERE n % 10 = 0`,
    `INSERT INTO article_origins (website_id, source, row_no, hash, fields, held_at)
     SELECT ${site}, 'source-' || n, n, 'hash', '{}', CASE WHEN n % 5000 = 0 THEN n END FROM ${all} WHERE n % 2 = 0`,
    `INSERT INTO article_labels (website_id, kind, label_key, row_no)
     SELECT ${site}, 'tag', 'tag-' || n % 500, n FROM ${all}`,
    `INSERT INTO fingerprints (row_no, website_id, minhash) SELECT n, ${site}, repeat(md5(n::text), 11) FROM ${all}`,
    `INSERT INTO fingerprint_bands (band, row_no)
     SELECT n * 100::bigint + band, n FROM ${all}, generate_series(1, 16) AS band`,
    `INSERT INTO fingerprint_bands (band, row_no)
     SELECT ${bands("large", MINHASH)[0]}, n FROM generate_series(1, 40) AS n`,
    `INSERT INTO article_words (row_no, website_id, words)
     SELECT n, ${site}, ARRAY['website' || ${site}, 'word' || n % 1000, 'common', 'rare' || n] FROM ${all}`,
    `INSERT INTO article_words_vocabulary (website_id, word) SELECT ${site}, 'rare' || n FROM ${all}`,
    `INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload)
     SELECT ${site}, n, 'event-' || n, 'article.published', ${article}, n, '{}' FROM ${all}`,
    `INSERT INTO api_keys (id, website_id, name, hash, prefix, last_four, scope, created_at)
     SELECT 'key-' || n, 'large', 'k', md5(n::text), 'p', 'l', 'all', 0 FROM generate_series(1, 2000) AS n`,
    `INSERT INTO access_tokens (id, website_id, name, hash, prefix, last_four, scope, created_at, expires_at)
     SELECT 'token-' || n, 'large', 't', md5(n::text), 'p', 'l', 'draft', 0, n FROM generate_series(1, 2000) AS n`,
    `INSERT INTO senders (id, website_id, kind, name, secret, created_at)
     SELECT 'sender-' || n, 'large', 'generic', 's', 'x', 0 FROM generate_series(0, ${SENDERS - 1}) AS n`,
    `INSERT INTO arrivals (id, sender_id, website_id, at, state, claimed_until, request, bytes)
     SELECT 'arrival-' || n, 'sender-' || n % ${SENDERS}, 'large', n,
       CASE WHEN n % 1000 = 0 THEN 'waiting' WHEN n % 50 = 0 THEN 'needs_attention' WHEN n % 9 = 0 THEN 'ignored' ELSE 'stored' END,
       CASE WHEN n % 1000 = 0 THEN n END, '{}', 2 FROM ${all}`,
    `INSERT INTO arrival_bodies (arrival_id, website_id, sender_id, bytes, body)
     SELECT 'arrival-' || n, 'large', 'sender-' || n % ${SENDERS}, 2, '{}' FROM ${all} WHERE n % 3 > 0`,
    `INSERT INTO arrived_articles (article_id, arrival_id, website_id) SELECT ${article}, 'arrival-' || n, 'large' FROM ${all}`,
    `INSERT INTO endpoints (id, website_id, url, events, thin, coalesce_ms, state, consecutive_failures, failed_attempts,
       send_window, not_before, last_claimed_at, replaying, created_at, deleted_at)
     SELECT 'endpoint-' || n, 'large', 'https://example.com', '[]', 0, 0, CASE WHEN n < 2 THEN 'paused' ELSE 'enabled' END,
       0, 0, 8, 0, 0, 0, 0, CASE WHEN n = 0 THEN 1 END FROM generate_series(0, ${ENDPOINTS - 1}) AS n`,
    `INSERT INTO endpoint_secrets (id, website_id, endpoint_id, secret, created_at)
     SELECT 'secret-' || n, 'large', 'endpoint-' || n, 's', 0 FROM generate_series(0, ${ENDPOINTS - 1}) AS n`,
    `INSERT INTO deliveries (no, id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
       attempts, created_at)
     SELECT n, 'delivery-' || n, 'large', ${endpoint}, 'event-' || 1 + n % ${count}, 1 + n % ${count}, 'article.published',
       'article-' || lpad((1 + n % ${count})::text, 12, '0'), 'event',
       CASE WHEN n > ${deliveries - QUEUED} THEN 'pending' WHEN n % 50 = 0 THEN 'parked' ELSE 'delivered' END, 1, n
     FROM ${delivered}`,
    `INSERT INTO delivery_queue (delivery_no, website_id, endpoint_id, article_id, tries, ready_at, planned_at, lease_token,
       lease_until, worker)
     SELECT no, website_id, endpoint_id, article_id, 0, CASE WHEN no % 4 > 0 THEN no END, CASE WHEN no % 3 = 0 THEN no END,
       CASE WHEN no % 200 = 1 THEN 'token-' || no END, CASE WHEN no % 200 = 1 THEN no END,
       CASE WHEN no % 200 = 1 THEN 'worker-' || no % 4 END
     FROM deliveries WHERE state = 'pending'`,
    `INSERT INTO attempts (delivery_no, number, website_id, started_at, outcome, status, request_headers, response_headers,
       response_body, total_ms)
     SELECT n, 1, 'large', n, 'success', 204, '{}', '[]', '', 12.5 FROM ${delivered}`,
    `INSERT INTO assets (id, website_id, hash, name, type, bytes, width, height, alt, created_by, created_at)
     SELECT 'asset-' || n, ${site}, md5(n::text), 'a.png', 'image/png', 1, 1, 1, '', 'x', n FROM ${all}`,
    `INSERT INTO audit_log (id, at, website_id, actor, action, target_kind, target_id, detail)
     SELECT 'entry-' || n, n, ${site}, 'x', 'article.updated', 'article', ${article}, '{}' FROM ${all}`,
    `INSERT INTO notifications (id, account_id, website_id, kind, event_key, actor, detail, total, at, read_at, mail)
     SELECT 'note-' || n, 'account-' || n % 50, ${site}, 'to_review', n::text, 'x', '{}', 1, n, CASE WHEN n % 10 > 0 THEN n END, 0
     FROM ${all}`,
    "VACUUM (ANALYZE)",
  ]) {
    await client.query(statement);
  }
}
