/** Every column whose text is sealed with the secret key (domain/system/secret-box.ts), in one list. */
import { declareRow } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";
import { PSEUDONYM_KEY } from "./signing-keys.ts";

interface SealedColumn {
  table: string;
  id: string;
  /** The column whose value the text is bound to. */
  context: string;
  column: string;
  /** A condition, where only some rows have a sealed text. */
  only?: string;
}

const SEALED_COLUMNS = {
  "signing secrets": { table: "endpoint_secrets", id: "id", context: "endpoint_id", column: "secret" },
  "webhook headers": { table: "endpoints", id: "id", context: "id", column: "headers" },
  authenticators: { table: "totp", id: "account_id", context: "account_id", column: "secret" },
  "secrets of senders": { table: "senders", id: "id", context: "id", column: "secret" },
  "previous secrets of senders": { table: "senders", id: "id", context: "id", column: "previous_secret" },
  "keys of review records": { table: "signing_keys", id: "id", context: "id", column: "private_key" },
  "key of pseudonyms": {
    table: "settings",
    id: "name",
    context: "name",
    column: "value",
    only: `name = '${PSEUDONYM_KEY}'`,
  },
  mails: { table: "mails", id: "id", context: "id", column: "content" },
} as const satisfies Record<string, SealedColumn>;

export type SealedKind = keyof typeof SEALED_COLUMNS;
// `Object.keys` returns exactly these names.
export const SEALED_KINDS = Object.keys(SEALED_COLUMNS) as SealedKind[];

export interface SealedText {
  id: string;
  context: string;
  sealed: string;
}

/** In the order of ids, after `afterId`. */
export function listSealedTexts(db: Snapshot, kind: SealedKind, afterId: string, limit: number): Promise<SealedText[]> {
  const { table, id, context, column, only = "1 = 1" }: SealedColumn = SEALED_COLUMNS[kind];
  return db.all(
    declareRow<SealedText>(
      `SELECT ${id} AS id, ${context} AS context, ${column} AS sealed FROM ${table}
       WHERE ${id} > ? AND ${column} IS NOT NULL AND ${only} ORDER BY ${id} LIMIT CAST(? AS BIGINT)`,
    ),
    afterId,
    limit,
  );
}

/** @returns false when the text was changed or removed meanwhile. */
export async function replaceSealedText(
  db: Writer,
  kind: SealedKind,
  { id, sealed }: Pick<SealedText, "id" | "sealed">,
  resealed: string,
): Promise<boolean> {
  const { table, id: key, column } = SEALED_COLUMNS[kind];
  const changed = await db.run(
    `UPDATE ${table} SET ${column} = ? WHERE ${key} = ? AND ${column} = ?`,
    resealed,
    id,
    sealed,
  );
  return changed === 1;
}
