/** Services that push articles in formats of their own: owners connect them, and change how they are understood. */
import { mintBase62 } from "../../../domain/people/api-key.ts";
import type { Dialect } from "../../../domain/articles/senders/dialect.ts";
import { DIALECTS, findDialect } from "../../../domain/articles/senders/dialects.ts";
import { parseMapping } from "../../../domain/articles/senders/mapping.ts";
import type { Sender } from "../../../domain/articles/senders/sender.ts";
import type { AuditEntry, Origin } from "../../../domain/system/audit.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { singleLine } from "../../../domain/system/foreign-text.ts";
import { DAY_MS, isoTime, type Millis } from "../../../domain/system/time.ts";
import { type ArrivalCounts, countOpenArrivals } from "../../../store/articles/senders/arrivals.ts";
import {
  findSenderAnywhere,
  findSenderToChange,
  insertSender,
  listSenders as listRows,
  updateSender,
} from "../../../store/articles/senders/senders.ts";
import type { Snapshot, Writer } from "../../../store/store.ts";
import { loadWebsite, loadWebsiteToChange } from "../../../store/system/websites.ts";
import { recordAudit } from "../../system/audit.ts";
import type { Deps } from "../../system/deps.ts";
import { assertSameKey } from "../../system/secret-check.ts";

export interface NewSender {
  kind: string;
  name: string;
  /** As the product made it; null: it is made here, or comes once the product has the address (`rotateSender`). */
  secret: string | null;
}

export interface SenderChange {
  name?: string;
  kind?: string;
  /** As the customer wrote it; null: the kind's own. */
  mapping?: unknown;
}

export interface SenderWithCounts {
  sender: Sender;
  arrivals: ArrivalCounts;
}

const MAX_SENDERS = 50;
/** How long the secret before a rotation is accepted. */
const OVERLAP_MS = DAY_MS;
const SECRET_CHARACTERS = 32;
const MIN_SECRET = 8;
const MAX_SECRET = 500;

type SenderDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets">;
type ChangeDeps = Pick<Deps, "store" | "clock" | "newId">;

/** @returns the secret if it was made here, shown only once. @throws AppError `invalid`, `not_found`, `conflict`. */
export async function createSender(
  deps: SenderDeps,
  websiteId: string,
  input: NewSender,
  origin: Origin,
): Promise<{ secret: string | null; sender: Sender }> {
  const name = parseName(input.name);
  const dialect = loadDialect(input.kind);
  const isLater = input.secret === null && dialect.secretFrom === "sender";
  // Nobody knows this one, so that nothing is accepted until the product's own is there.
  const secret = isLater ? mintBase62(deps.randomBytes, SECRET_CHARACTERS) : chooseSecret(deps, dialect, input.secret);
  await assertSameKey(deps);
  const id = deps.randomBytes(16).toString("hex");
  const sender: Sender = {
    id,
    websiteId,
    kind: dialect.kind,
    name,
    mapping: null,
    secret: deps.secrets().seal(secret, id),
    previousSecret: null,
    previousUntil: null,
    createdAt: deps.clock(),
    lastArrivalAt: null,
    deletedAt: null,
  };
  await deps.store.write(async (db) => {
    await loadWebsiteToChange(db, websiteId);
    if ((await listRows(db, websiteId)).length >= MAX_SENDERS) {
      throw new AppError("conflict", `A website has at most ${MAX_SENDERS} senders; delete one first.`);
    }
    await insertSender(db, sender);
    await recordSenderChange(db, deps, origin, "sender.created", sender);
  });
  return { secret: input.secret === null && !isLater ? secret : null, sender };
}

export function listSenders(deps: Pick<Deps, "store">, websiteId: string): Promise<SenderWithCounts[]> {
  return deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    const senders = await listRows(db, websiteId);
    return Promise.all(senders.map((sender) => withCounts(db, sender)));
  });
}

/** @throws AppError `not_found`. */
export function getSender(deps: Pick<Deps, "store">, id: string): Promise<SenderWithCounts> {
  return deps.store.read(async (db) => withCounts(db, await loadSender(db, id)));
}

/** @throws AppError `not_found`; `invalid` with the place of the mistake; `conflict` for a kind with another form of secret. */
export async function changeSender(
  deps: ChangeDeps,
  id: string,
  change: SenderChange,
  origin: Origin,
): Promise<Sender> {
  const name = change.name === undefined ? undefined : parseName(change.name);
  const kind = change.kind === undefined ? undefined : loadDialect(change.kind);
  const mapping = change.mapping == null ? change.mapping : parseMapping(change.mapping);
  return deps.store.write(async (db) => {
    const sender = await loadSenderToChange(db, id);
    if (kind !== undefined && SECRET_FORMS[kind.kind] !== SECRET_FORMS[sender.kind]) {
      throw new AppError("conflict", `A sender of the kind ${kind.kind} has another form of secret: create one.`, {
        field: "kind",
      });
    }
    const dialect = kind ?? findDialect(sender.kind);
    if (mapping != null && dialect?.protocol !== undefined) {
      throw new AppError("conflict", `The fields of ${dialect.name} are fixed: none can be mapped.`, {
        field: "mapping",
      });
    }
    const changed: Sender = {
      ...sender,
      ...(name === undefined ? {} : { name }),
      ...(kind === undefined ? {} : { kind: kind.kind }),
      ...(mapping === undefined ? {} : { mapping }),
    };
    const fields = (["name", "kind", "mapping"] as const).filter(
      (field) => JSON.stringify(changed[field]) !== JSON.stringify(sender[field]),
    );
    if (fields.length === 0) return sender;
    await updateSender(db, changed);
    await recordSenderChange(db, deps, origin, "sender.changed", changed, { fields: fields.join(", ") });
    return changed;
  });
}

/** The previous secret is accepted for a day. @param given null: it is made here. @returns like `createSender`. */
export async function rotateSender(
  deps: SenderDeps,
  id: string,
  given: string | null,
  origin: Origin,
): Promise<{ secret: string | null; sender: Sender; previousUntil: Millis }> {
  await assertSameKey(deps);
  return deps.store.write(async (db) => {
    const sender = await loadSenderToChange(db, id);
    const secret = chooseSecret(deps, loadDialect(sender.kind), given);
    const previousUntil = deps.clock() + OVERLAP_MS;
    const rotated: Sender = {
      ...sender,
      secret: deps.secrets().seal(secret, id),
      previousSecret: sender.secret,
      previousUntil,
    };
    await updateSender(db, rotated);
    await recordSenderChange(db, deps, origin, "sender.rotated", rotated, { previous_until: isoTime(previousUntil) });
    return { secret: given === null ? secret : null, sender: rotated, previousUntil };
  });
}

/** It is refused at once; what it brought stays. @throws AppError `not_found`. */
export function deleteSender(deps: ChangeDeps, id: string, origin: Origin): Promise<Sender> {
  return deps.store.write(async (db) => {
    const sender = await loadSenderToChange(db, id);
    const deleted: Sender = { ...sender, previousSecret: null, previousUntil: null, deletedAt: deps.clock() };
    await updateSender(db, deleted);
    await recordSenderChange(db, deps, origin, "sender.deleted", deleted);
    return deleted;
  });
}

/** @throws AppError `not_found`, also for one that is deleted. */
export async function loadSender(db: Snapshot, id: string): Promise<Sender> {
  const sender = await findSenderAnywhere(db, id);
  return sender?.deletedAt === null ? sender : throwUnknownSender(id);
}

async function loadSenderToChange(db: Writer, id: string): Promise<Sender> {
  return (await findSenderToChange(db, id)) ?? throwUnknownSender(id);
}

function throwUnknownSender(id: string): never {
  throw new AppError("not_found", `There is no sender with the id ${id}; "rostrum sender list" shows all.`);
}

async function withCounts(db: Snapshot, sender: Sender): Promise<SenderWithCounts> {
  return { sender, arrivals: await countOpenArrivals(db, sender.id) };
}

function parseName(text: string): string {
  const name = singleLine(text);
  if (name !== "" && name.length <= 200) return name;
  throw new AppError(
    "invalid",
    "A sender needs a name of 1 to 200 characters. The history shows it with the articles it sends.",
    { field: "name" },
  );
}

/** @throws AppError `invalid` with the kinds that there are. */
function loadDialect(kind: string): Dialect {
  const dialect = findDialect(kind);
  if (dialect !== undefined) return dialect;
  const letters = toLetters(kind);
  const meant = DIALECTS.find((one) => toLetters(one.kind) === letters || toLetters(one.name) === letters);
  const kinds = DIALECTS.map((one) => one.kind).join(", ");
  throw new AppError(
    "invalid",
    `There is no kind of sender "${singleLine(kind).slice(0, 100)}"${meant === undefined ? `. The kinds are ${kinds}; generic is for any product that has none.` : `; did you mean ${meant.kind}?`}`,
    { field: "kind" },
  );
}

/** `Journalist AI` and `journalist-ai` are alike. */
function toLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, "");
}

interface SecretForm {
  mint: (randomBytes: Deps["randomBytes"]) => string;
  pattern: RegExp;
  described: string;
}

/** Kinds whose clients check the form of what they are given. */
const SECRET_FORMS: Partial<Record<string, SecretForm>> = {
  ghost: {
    mint: (randomBytes) => `${randomBytes(12).toString("hex")}:${randomBytes(32).toString("hex")}`,
    pattern: /^[\da-f]{24}:[\da-f]{64}$/,
    described: "24 hexadecimal digits, a colon and 64 hexadecimal digits",
  },
  wordpress: {
    // As WordPress shows an application password.
    mint: (randomBytes) => mintBase62(randomBytes, 24).replaceAll(/.{4}(?=.)/g, "$& "),
    pattern: /^(?:[\dA-Za-z]{4} ){5}[\dA-Za-z]{4}$/,
    described: "six groups of four letters and digits",
  },
};

/** @throws AppError `invalid` for a secret that is missing, or of another form. */
function chooseSecret(
  { randomBytes }: Pick<Deps, "randomBytes">,
  { kind, name, secretFrom }: Dialect,
  given: string | null,
): string {
  const form = SECRET_FORMS[kind];
  if (given === null) {
    if (secretFrom === "sender") {
      throw new AppError("invalid", `${name} makes the secret: copy it from there.`, { field: "secret" });
    }
    return form?.mint(randomBytes) ?? mintBase62(randomBytes, SECRET_CHARACTERS);
  }
  const secret = given.trim();
  if (form !== undefined && !form.pattern.test(secret)) {
    throw new AppError("invalid", `A secret of this kind is ${form.described}.`, { field: "secret" });
  }
  // Headers and addresses carry nothing else.
  if (secret.length < MIN_SECRET || secret.length > MAX_SECRET || !/^[ -~]*$/.test(secret)) {
    throw new AppError(
      "invalid",
      `A secret has ${MIN_SECRET} to ${MAX_SECRET} characters, which are letters, digits and punctuation of ASCII.`,
      { field: "secret" },
    );
  }
  return secret;
}

function recordSenderChange(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  origin: Origin,
  action: Extract<AuditEntry["action"], `sender.${string}`>,
  { id: targetId, websiteId, name, kind }: Sender,
  detail: AuditEntry["detail"] = {},
): Promise<void> {
  return recordAudit(db, deps, origin, {
    action,
    targetKind: "sender",
    targetId,
    websiteId,
    detail: { name, kind, ...detail },
  });
}
