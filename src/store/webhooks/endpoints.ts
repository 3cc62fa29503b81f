import type { Millis } from "../../domain/system/time.ts";
import {
  type Endpoint,
  endpointState,
  type Health,
  type ShownState,
  shownState,
} from "../../domain/webhooks/endpoint.ts";
import type { EventKind } from "../../domain/webhooks/event.ts";
import { inBatches, placeholders, valuesList } from "../system/sql-batch.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

/** An endpoint with what only the sender needs. */
export interface StoredEndpoint extends Endpoint {
  /** Sealed JSON of its custom headers; null: none. */
  sealedHeaders: string | null;
  /** PEM of a private certificate authority; null: the public ones. */
  ca: string | null;
}

export interface StoredSecret {
  id: string;
  websiteId: string;
  endpointId: string;
  sealed: string;
  createdAt: Millis;
  /** When it stops signing; null: it is the current one. */
  expiresAt: Millis | null;
}

const COLUMNS = `id, website_id, name, description, url, events, thin, extended, coalesce_ms, headers, ca, state, replaying, disabled_reason,
  disabled_at, consecutive_failures, failed_attempts, send_window, not_before, last_success_at, last_failure_at,
  last_error, created_at`;

type EndpointRow = Row<`SELECT ${typeof COLUMNS} FROM endpoints`>;

export async function insertEndpoint(db: Writer, endpoint: StoredEndpoint): Promise<void> {
  await db.run(
    `INSERT INTO endpoints (${COLUMNS}, last_claimed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    endpoint.id,
    endpoint.websiteId,
    ...settingValues(endpoint),
    ...healthValues(endpoint),
    endpoint.createdAt,
  );
}

/** The endpoints that are not deleted, oldest first. */
export async function listEndpoints(db: Snapshot, websiteId: string): Promise<StoredEndpoint[]> {
  const found = await db.all(
    `SELECT ${COLUMNS} FROM endpoints WHERE website_id = ? AND deleted_at IS NULL ORDER BY created_at, id`,
    websiteId,
  );
  return found.map(fromRow);
}

/** Includes deleted endpoints. */
export async function listEndpointIds(db: Snapshot, websiteId: string): Promise<string[]> {
  const rows = await db.all("SELECT id FROM endpoints WHERE website_id = ? ORDER BY id", websiteId);
  return rows.map(({ id }) => id);
}

export async function findEndpointAnywhere(db: Snapshot, id: string): Promise<StoredEndpoint | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM endpoints WHERE id = ? AND deleted_at IS NULL`, id);
  return row && fromRow(row);
}

/** As `findEndpointAnywhere`, locked for a change until the transaction ends. */
export async function findEndpointToChange(db: Writer, id: string): Promise<StoredEndpoint | undefined> {
  return (await findEndpointsToChange(db, [id])).get(id);
}

/** By id, without deleted endpoints; locked for a change until the transaction ends. */
export async function findEndpointsToChange(db: Writer, ids: readonly string[]): Promise<Map<string, StoredEndpoint>> {
  const found = await inBatches(ids.toSorted(), (batch) =>
    db.all(
      `SELECT ${COLUMNS} FROM endpoints WHERE id IN (${placeholders(batch)}) AND deleted_at IS NULL
       ORDER BY id FOR NO KEY UPDATE`,
      ...batch,
    ),
  );
  return new Map(found.flat().map((row) => [row.id, fromRow(row)]));
}

/** What an endpoint's messages are made of, beside its secrets. */
export type SendSettings = Pick<StoredEndpoint, "id" | "url" | "payload" | "sealedHeaders" | "ca">;

/** Locks endpoints that are enabled and not locked by another change or claim, until the transaction ends. */
export async function reserveEndpoints(db: Writer, ids: readonly string[]): Promise<SendSettings[]> {
  const free = await inBatches(ids.toSorted(), (batch) =>
    db.all(
      `SELECT id, url, thin, extended, headers, ca FROM endpoints
       WHERE id IN (${placeholders(batch)}) AND state = 'enabled' AND deleted_at IS NULL
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
      ...batch,
    ),
  );
  return free.flat().map((row) => ({
    id: row.id,
    url: row.url,
    payload: toPayloadForm(row),
    sealedHeaders: row.headers,
    ca: row.ca,
  }));
}

/** The endpoints, locked so that none is changed until the transaction ends. */
export async function findEndpointsHeld(db: Writer, ids: readonly string[]): Promise<Map<string, StoredEndpoint>> {
  const found = await inBatches(ids.toSorted(), (batch) =>
    db.all(
      `SELECT ${COLUMNS} FROM endpoints WHERE id IN (${placeholders(batch)}) AND deleted_at IS NULL ORDER BY id FOR SHARE`,
      ...batch,
    ),
  );
  return new Map(found.flat().map((row) => [row.id, fromRow(row)]));
}

export async function hasEndpoints(db: Snapshot): Promise<boolean> {
  return (await db.get("SELECT 1 AS found FROM endpoints WHERE deleted_at IS NULL LIMIT 1")) !== undefined;
}

export async function countEndpoints(db: Snapshot): Promise<Record<ShownState["state"], number>> {
  const counts = { enabled: 0, paused: 0, disabled: 0 };
  const states = await db.all("SELECT state, COUNT(*) AS n FROM endpoints WHERE deleted_at IS NULL GROUP BY state");
  for (const { state, n } of states) counts[state] = n;
  return counts;
}

export async function saveHealth(db: Writer, id: string, health: Health): Promise<void> {
  await db.run(
    `UPDATE endpoints SET state = ?, replaying = ?, disabled_reason = ?, disabled_at = ?,
       consecutive_failures = ?, failed_attempts = ?, send_window = ?, not_before = ?, last_success_at = ?, last_failure_at = ?, last_error = ?
     WHERE id = ?`,
    ...healthValues(health),
    id,
  );
}

/** Saves all but the state, which rarely changes: a column with a CHECK costs SQLite a statement journal. */
export async function saveProgress(db: Writer, endpoints: readonly (Health & { id: string })[]): Promise<void> {
  await inBatches(endpoints, (batch) =>
    db.run(
      `WITH v (id, consecutive_failures, failed_attempts, send_window, not_before, last_success_at, last_failure_at,
         last_error) AS (VALUES ${valuesList(batch, PROGRESS)})
       UPDATE endpoints SET consecutive_failures = v.consecutive_failures, failed_attempts = v.failed_attempts,
         send_window = v.send_window, not_before = v.not_before, last_success_at = v.last_success_at,
         last_failure_at = v.last_failure_at, last_error = v.last_error
       FROM v WHERE endpoints.id = v.id`,
      ...batch.flatMap((endpoint) => [
        endpoint.id,
        endpoint.consecutiveFailures,
        endpoint.failedAttempts,
        endpoint.window,
        endpoint.notBefore,
        endpoint.lastSuccessAt,
        endpoint.lastFailureAt,
        endpoint.lastError,
      ]),
    ),
  );
}

const PROGRESS = `(?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT),
  CAST(? AS BIGINT), ?)`;

type EditableField = "name" | "description" | "url" | "events" | "payload" | "coalesceMs" | "sealedHeaders" | "ca";

/** The settings that people edit, in the order of their columns. */
function settingValues(endpoint: Pick<StoredEndpoint, EditableField>) {
  return [
    endpoint.name,
    endpoint.description,
    endpoint.url,
    JSON.stringify(endpoint.events),
    endpoint.payload === "thin" ? 1 : 0,
    endpoint.payload === "extended" ? 1 : 0,
    endpoint.coalesceMs,
    endpoint.sealedHeaders,
    endpoint.ca,
  ];
}

export async function saveSettings(db: Writer, endpoint: Pick<StoredEndpoint, "id" | EditableField>): Promise<void> {
  await db.run(
    `UPDATE endpoints SET name = ?, description = ?, url = ?, events = ?, thin = ?, extended = ?, coalesce_ms = ?,
       headers = ?, ca = ? WHERE id = ?`,
    ...settingValues(endpoint),
    endpoint.id,
  );
}

/** For an enabled endpoint: whether it is catching up. */
export async function setReplaying(db: Writer, id: string, isReplaying: boolean): Promise<void> {
  await db.run("UPDATE endpoints SET replaying = ? WHERE id = ?", isReplaying ? 1 : 0, id);
}

/** Makes the endpoint disappear at once, with its secrets and headers; its history is pruned later, in batches. */
export async function deleteEndpoint(db: Writer, id: string, now: Millis): Promise<void> {
  await db.run(
    "UPDATE endpoints SET deleted_at = ?, state = 'paused', headers = NULL, ca = NULL WHERE id = ?",
    now,
    id,
  );
  await db.run("DELETE FROM endpoint_secrets WHERE endpoint_id = ?", id);
}

export async function insertSecret(db: Writer, secret: StoredSecret): Promise<void> {
  await db.run(
    "INSERT INTO endpoint_secrets (id, website_id, endpoint_id, secret, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
    secret.id,
    secret.websiteId,
    secret.endpointId,
    secret.sealed,
    secret.createdAt,
    secret.expiresAt,
  );
}

/** The secrets that sign at `now`, newest first, by endpoint. */
export async function signingSecrets(
  db: Snapshot,
  endpointIds: readonly string[],
  now: Millis,
): Promise<Map<string, StoredSecret[]>> {
  const found = new Map(endpointIds.map((id) => [id, [] as StoredSecret[]]));
  await inBatches(endpointIds, async (batch) => {
    const secrets = await db.all(
      `SELECT ${SECRET} FROM endpoint_secrets s
       WHERE endpoint_id IN (${placeholders(batch)}) AND (expires_at IS NULL OR expires_at > ?)
       ORDER BY created_at DESC, id DESC`,
      ...batch,
      now,
    );
    for (const row of secrets) found.get(row.endpoint_id)?.push(toSecret(row));
  });
  return found;
}

const SECRET = "s.id, s.website_id, s.endpoint_id, s.secret, s.created_at, s.expires_at";

function toSecret(row: Row<`SELECT ${typeof SECRET} FROM endpoint_secrets s`>): StoredSecret {
  return {
    id: row.id,
    websiteId: row.website_id,
    endpointId: row.endpoint_id,
    sealed: row.secret,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** Any signing secret of the database; undefined when there is none. */
export function anySecret(db: Snapshot): Promise<{ endpoint_id: string; secret: string } | undefined> {
  return db.get("SELECT endpoint_id, secret FROM endpoint_secrets ORDER BY created_at LIMIT 1");
}

/** Makes the endpoint's secrets expire at `expiresAt`, or earlier; deletes those that have expired. */
export async function expireSecrets(db: Writer, endpointId: string, expiresAt: Millis, now: Millis): Promise<void> {
  await db.run("DELETE FROM endpoint_secrets WHERE endpoint_id = ? AND expires_at <= ?", endpointId, now);
  await db.run(
    "UPDATE endpoint_secrets SET expires_at = ? WHERE endpoint_id = ? AND (expires_at IS NULL OR expires_at > ?)",
    expiresAt,
    endpointId,
    expiresAt,
  );
}

function healthValues(health: Health) {
  const { state, isReplaying } = shownState(health.state);
  return [
    state,
    isReplaying ? 1 : 0,
    health.disabledReason,
    health.disabledAt,
    health.consecutiveFailures,
    health.failedAttempts,
    health.window,
    health.notBefore,
    health.lastSuccessAt,
    health.lastFailureAt,
    health.lastError,
  ];
}

/** Each column by its name: all endpoints of a batch are read with its results, and a loop over names takes 10 µs. */
function fromRow(row: EndpointRow): StoredEndpoint {
  return {
    id: row.id,
    websiteId: row.website_id,
    name: row.name,
    description: row.description,
    url: row.url,
    // Written only in this file.
    events: JSON.parse(row.events) as EventKind[],
    payload: toPayloadForm(row),
    coalesceMs: row.coalesce_ms,
    sealedHeaders: row.headers,
    ca: row.ca,
    state: endpointState({ state: row.state, isReplaying: row.replaying === 1 }),
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at,
    consecutiveFailures: row.consecutive_failures,
    failedAttempts: row.failed_attempts,
    window: row.send_window,
    notBefore: row.not_before,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    lastError: row.last_error,
    createdAt: row.created_at,
  };
}

function toPayloadForm({ thin, extended }: Pick<EndpointRow, "thin" | "extended">): StoredEndpoint["payload"] {
  return thin === 1 ? "thin" : extended === 1 ? "extended" : "full";
}
