import { type Millis, DAY_MS, isoTime } from "../../domain/system/time.ts";
import type { AuditEntry, Origin } from "../../domain/system/audit.ts";
import {
  checkCertificate,
  checkCoalesce,
  checkHeaders,
  parseEventKinds,
  parseWebhookDescription,
  parseWebhookName,
} from "../../domain/webhooks/endpoint-input.ts";
import { type EndpointState, GOOD_HEALTH, type Health, type PayloadForm } from "../../domain/webhooks/endpoint.ts";
import { AppError } from "../../domain/system/errors.ts";
import { mintSecret } from "../../domain/webhooks/webhook-message.ts";
import {
  deleteEndpoint as deleteRow,
  expireSecrets,
  findEndpointAnywhere,
  findEndpointToChange,
  insertEndpoint,
  insertSecret,
  listEndpoints as listRows,
  saveHealth,
  type StoredEndpoint,
} from "../../store/webhooks/endpoints.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import { stopReplaying } from "./record-attempts.ts";
import type { Deps } from "../system/deps.ts";
import { loadWebsite, loadWebsiteToChange } from "../../store/system/websites.ts";
import { assertSameKey } from "../system/secret-check.ts";

export interface NewEndpoint {
  url: string;
  name?: string;
  description?: string;
  /** Names of event kinds; if omitted, all. */
  events?: readonly string[];
  /** `full` if omitted. */
  payload?: PayloadForm;
  coalesceMs?: number;
  headers?: Readonly<Record<string, string>>;
  /** PEM of a private certificate authority. */
  ca?: string | null;
}

const MAX_ENDPOINTS = 100;
export const DEFAULT_OVERLAP_MS = DAY_MS;
const MAX_OVERLAP_MS = 7 * DAY_MS;

type EndpointDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets">;
type ChangeDeps = Pick<Deps, "store" | "clock" | "newId">;

/** @returns the secret, shown only once. @throws AppError `invalid` for a URL that must not be called, or a setting. */
export async function createEndpoint(
  deps: EndpointDeps & Pick<Deps, "checkAddress">,
  websiteId: string,
  input: NewEndpoint,
  origin: Origin,
): Promise<{ secret: string; endpoint: StoredEndpoint }> {
  const events = parseEventKinds(input.events);
  const headers = input.headers ?? {};
  checkHeaders(headers);
  checkCoalesce(input.coalesceMs ?? 0);
  if (input.ca != null) checkCertificate(input.ca);
  const url = await deps.checkAddress(input.url);
  await assertSameKey(deps);
  const id = deps.newId();
  const secret = mintSecret(deps.randomBytes);
  const endpoint: StoredEndpoint = {
    ...GOOD_HEALTH,
    id,
    websiteId,
    name: parseWebhookName(input.name ?? ""),
    description: parseWebhookDescription(input.description ?? ""),
    url,
    events,
    payload: input.payload ?? "full",
    coalesceMs: input.coalesceMs ?? 0,
    sealedHeaders: sealHeaders(deps, headers, id),
    ca: input.ca ?? null,
    createdAt: deps.clock(),
  };
  const sealed = deps.secrets().seal(secret, id);
  await deps.store.write(async (db) => {
    await loadWebsiteToChange(db, websiteId);
    if ((await listRows(db, websiteId)).length >= MAX_ENDPOINTS) {
      throw new AppError("conflict", `A website has at most ${MAX_ENDPOINTS} webhooks; delete one first.`);
    }
    await insertEndpoint(db, endpoint);
    await addSecret(db, deps, endpoint, sealed);
    const detail = { payload: endpoint.payload, events: events.join(", ") };
    await recordEndpointChange(db, deps, origin, "webhook.created", endpoint, detail);
  });
  return { secret, endpoint };
}

export function listEndpoints(deps: Pick<Deps, "store">, websiteId: string): Promise<StoredEndpoint[]> {
  return deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return listRows(db, websiteId);
  });
}

/** Parks its events from now on. Pausing it again changes nothing. @throws AppError `not_found`, `conflict`. */
export function pauseEndpoint(deps: ChangeDeps, id: string, origin: Origin): Promise<StoredEndpoint> {
  return deps.store.write(async (db) => {
    const endpoint = await loadEndpointToChange(db, id);
    if (endpoint.state === "paused") return endpoint;
    if (endpoint.state === "disabled") {
      throw new AppError("conflict", "The webhook is disabled already: it receives nothing until it is enabled.");
    }
    const paused: StoredEndpoint = { ...endpoint, state: "paused" };
    await saveHealth(db, id, paused);
    await stopReplaying(db, id, deps.clock());
    await recordEndpointChange(db, deps, origin, "webhook.paused", endpoint);
    return paused;
  });
}

/** Adds a secret; previous ones sign for `overlapMs`. @returns it, shown once. @throws AppError `not_found`. */
export async function rotateSecret(
  deps: EndpointDeps,
  id: string,
  overlapMs: number,
  origin: Origin,
): Promise<{ secret: string; endpoint: StoredEndpoint; previousUntil: Millis }> {
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) {
    throw new AppError("invalid", "The previous secret can stay valid for 0 to 7 days.", { field: "overlap" });
  }
  await assertSameKey(deps);
  const secret = mintSecret(deps.randomBytes);
  const sealed = deps.secrets().seal(secret, id);
  return deps.store.write(async (db) => {
    const endpoint = await loadEndpointToChange(db, id);
    const now = deps.clock();
    await expireSecrets(db, id, now + overlapMs, now);
    await addSecret(db, deps, endpoint, sealed);
    const detail = { previous_until: isoTime(now + overlapMs) };
    await recordEndpointChange(db, deps, origin, "webhook.rotated", endpoint, detail);
    return { secret, endpoint, previousUntil: now + overlapMs };
  });
}

/** Nothing is sent to it any more, including what is waiting. @throws AppError `not_found`. */
export function deleteEndpoint(deps: ChangeDeps, id: string, origin: Origin): Promise<StoredEndpoint> {
  return deps.store.write(async (db) => {
    const endpoint = await loadEndpointToChange(db, id);
    await stopReplaying(db, id, deps.clock());
    await deleteRow(db, id, deps.clock());
    await recordEndpointChange(db, deps, origin, "webhook.deleted", endpoint);
    return endpoint;
  });
}

/** @throws AppError `not_found`. */
export async function loadEndpoint(db: Snapshot, id: string): Promise<StoredEndpoint> {
  return (await findEndpointAnywhere(db, id)) ?? throwUnknownEndpoint(id);
}

/** Locks it until the transaction ends. @throws AppError `not_found`. */
export async function loadEndpointToChange(db: Writer, id: string): Promise<StoredEndpoint> {
  return (await findEndpointToChange(db, id)) ?? throwUnknownEndpoint(id);
}

function throwUnknownEndpoint(id: string): never {
  throw new AppError("not_found", `There is no webhook with the id ${id}; "rostrum webhook list" shows all.`);
}

/** Resets the health, but keeps the last success, failure and error. */
export function renewedHealth({ lastSuccessAt, lastFailureAt, lastError }: Health, state: EndpointState): Health {
  return { ...GOOD_HEALTH, state, lastSuccessAt, lastFailureAt, lastError };
}

/** @returns null if there are none. */
export function sealHeaders(
  deps: Pick<Deps, "secrets">,
  headers: Readonly<Record<string, string>>,
  endpointId: string,
): string | null {
  return Object.keys(headers).length === 0 ? null : deps.secrets().seal(JSON.stringify(headers), endpointId);
}

/** Records only the host of the URL: the rest may contain a secret. */
export function recordEndpointChange(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  origin: Origin,
  action: Extract<AuditEntry["action"], `webhook.${string}`>,
  { id: targetId, websiteId, url }: Pick<StoredEndpoint, "id" | "websiteId" | "url">,
  detail: AuditEntry["detail"] = {},
): Promise<void> {
  const all = { at: new URL(url).host, ...detail };
  return recordAudit(db, deps, origin, { action, targetKind: "webhook", targetId, websiteId, detail: all });
}

async function addSecret(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  { id: endpointId, websiteId }: StoredEndpoint,
  sealed: string,
): Promise<void> {
  await insertSecret(db, { id: deps.newId(), websiteId, endpointId, sealed, createdAt: deps.clock(), expiresAt: null });
}
