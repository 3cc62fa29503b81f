import type { Millis } from "../../domain/system/time.ts";
import { type ApiKey, type KeyScope, keyTraces, mintKey } from "../../domain/people/api-key.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { singleLine } from "../../domain/system/foreign-text.ts";
import { DAY_MS, startOfDay, isoTimeOrNull } from "../../domain/system/time.ts";
import {
  findKeyAnywhere,
  insertKey,
  listKeys as listRows,
  revokeKey as revokeRow,
  touchKey,
} from "../../store/people/api-keys.ts";
import { addKeyRequests, type KeyRequests, requestsByDay } from "../../store/people/key-requests.ts";
import type { Snapshot } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import { type OnError, setAside, batchThenEach } from "../system/set-aside.ts";
import type { Deps } from "../system/deps.ts";
import { loadWebsite } from "../../store/system/websites.ts";

export interface NewKey {
  name: string;
  scope: KeyScope;
  expiresAt: Millis | null;
  /** Requests per second; null: the service's default; 0: unlimited. */
  rateLimit: number | null;
}

/** @returns the key itself, shown only once, and its stored form. @throws AppError `invalid`, `not_found`. */
export async function createKey(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes">,
  websiteId: string,
  input: NewKey,
  origin: Origin,
): Promise<{ secret: string; key: ApiKey }> {
  const name = singleLine(input.name);
  if (name === "" || name.length > 200) {
    throw new AppError("invalid", "A key needs a name of 1 to 200 characters, to tell it from others.", {
      field: "name",
    });
  }
  const secret = mintKey(deps.randomBytes);
  const key: ApiKey = {
    ...input,
    ...keyTraces(secret),
    id: deps.newId(),
    websiteId,
    name,
    createdAt: deps.clock(),
    lastUsedAt: null,
    revokedAt: null,
  };
  await deps.store.write(async (db) => {
    await loadWebsite(db, websiteId);
    await insertKey(db, key);
    await recordAudit(db, deps, origin, {
      action: "key.created",
      targetKind: "key",
      targetId: key.id,
      websiteId,
      detail: { name, prefix: key.prefix, scope: key.scope, expires_at: isoTimeOrNull(key.expiresAt) },
    });
  });
  return { secret, key };
}

export function listKeys(deps: Pick<Deps, "store">, websiteId: string): Promise<ApiKey[]> {
  return deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return listRows(db, websiteId);
  });
}

/** Takes effect here at once, elsewhere within a second. Repeating changes nothing. @throws AppError `not_found`. */
export function revokeKey(deps: Pick<Deps, "store" | "clock" | "newId">, id: string, origin: Origin): Promise<ApiKey> {
  return deps.store.write(async (db) => {
    const now = deps.clock();
    if (!(await revokeRow(db, id, now))) return loadKey(db, id);
    const key = await loadKey(db, id);
    await recordAudit(db, deps, origin, {
      action: "key.revoked",
      targetKind: "key",
      targetId: id,
      websiteId: key.websiteId,
      detail: { name: key.name, prefix: key.prefix },
    });
    return key;
  });
}

async function loadKey(db: Snapshot, id: string): Promise<ApiKey> {
  const key = await findKeyAnywhere(db, id);
  if (key === undefined) throw new AppError("not_found", `There is no API key with the id ${id}.`);
  return key;
}

export interface DayCount {
  /** Start of the UTC day. */
  day: Millis;
  count: number;
}

/** Daily requests to today, at most a minute behind. @returns a key's days by its id, oldest first, without gaps. */
export async function countRequests(
  deps: Pick<Deps, "store" | "clock">,
  websiteId: string,
  days: number,
): Promise<(keyId: string) => DayCount[]> {
  const since = startOfDay(deps.clock()) - (days - 1) * DAY_MS;
  const found = await deps.store.read((db) => requestsByDay(db, websiteId, since));
  const counts = new Map(found.map(({ key_id, day, requests }) => [`${key_id} ${day}`, requests]));
  return (keyId) =>
    Array.from({ length: days }, (_, index) => {
      const day = since + index * DAY_MS;
      return { day, count: counts.get(`${keyId} ${day}`) ?? 0 };
    });
}

/** Saves when keys were last used. A key that always fails becomes a dead letter, and does not block the others. */
export async function recordKeyUse(
  deps: Pick<Deps, "store" | "clock">,
  uses: readonly { id: string; usedAt: Millis }[],
  onError?: OnError,
): Promise<void> {
  if (uses.length === 0) return;
  const save = (some: typeof uses) =>
    deps.store.write(
      async (db) => {
        for (const use of some) await touchKey(db, use.id, use.usedAt);
      },
      { notify: false },
    );
  const inOrder = uses.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await batchThenEach(inOrder, save, ({ id }, error) => setAsideKey(deps, { id, websiteId: null }, error, onError));
}

/** Adds to the request counts of keys; handles failures like `recordKeyUse`. */
export async function recordKeyRequests(
  deps: Pick<Deps, "store" | "clock">,
  counts: readonly KeyRequests[],
  onError?: OnError,
): Promise<void> {
  if (counts.length === 0) return;
  const save = (some: typeof counts) => deps.store.write((db) => addKeyRequests(db, some), { notify: false });
  await batchThenEach(counts, save, ({ keyId: id, websiteId }, error) =>
    setAsideKey(deps, { id, websiteId }, error, onError),
  );
}

/** Only this key's counts are lost. */
function setAsideKey(
  deps: Pick<Deps, "store" | "clock">,
  { id, websiteId }: { id: string; websiteId: string | null },
  error: unknown,
  onError?: OnError,
): Promise<void> {
  const letter = { kind: "key", subjectId: id, websiteId, error } as const;
  return setAside(deps, letter, `the use of API key ${id} cannot be saved`, onError);
}
