/** What commands for operators say of the key that opens what is sealed in the database. None of them makes one. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SECRET_KEY_FILE } from "../app.ts";
import type { Config } from "../config.ts";
import { keyOfSetting, type SecretBox, secretBox } from "../domain/secret-box.ts";
import { checkSecrets, type SecretCheck, type Tried } from "../operations/secret-check.ts";
import { secretKeyFrom } from "../secret-key.ts";
import type { Store } from "../store/store.ts";

type KeyConfig = Pick<Config, "secretKey" | "dataDir">;

/** Where the key stands when it is a file of the data folder; null: it is set by ROSTRUM_SECRET_KEY. */
export function secretKeyFile(config: KeyConfig): string | null {
  return config.secretKey === null ? join(config.dataDir, SECRET_KEY_FILE) : null;
}

/**
 * Tries the key on everything in the store that is sealed.
 *
 * @returns what it opened in a sentence, and what to do in another when something stays closed. @throws AppError
 * `misconfigured` when the key's file holds no key.
 */
export async function trySecretKey(
  store: Store,
  config: KeyConfig,
): Promise<{ opened: string; problem: string | null }> {
  const box = openBox(config);
  const check = await checkSecrets({ store, clock: Date.now }, box);
  return { opened: openedIn(check), problem: isClosed(check) ? problemOf(check, box === null, config) : null };
}

function openBox(config: KeyConfig): SecretBox | null {
  const file = secretKeyFile(config);
  if (file !== null && !existsSync(file)) return null;
  const key = file === null ? keyOfSetting(config.secretKey ?? "") : secretKeyFrom(file, randomBytes);
  return key === undefined ? null : secretBox(key, randomBytes);
}

function isClosed({ webhooks, authenticators }: SecretCheck): boolean {
  return webhooks.closed + authenticators.closed > 0;
}

function openedIn({ webhooks, authenticators }: SecretCheck): string {
  const opened = [
    ...(webhooks.opened === 0 ? [] : [`the signing secrets of ${webhooks.opened} webhooks`]),
    ...(authenticators.opened === 0 ? [] : [`the secrets of ${authenticators.opened} authenticators`]),
  ];
  return opened.length === 0 ? "none" : `the key opens ${opened.join(" and ")}`;
}

function problemOf({ webhooks, authenticators }: SecretCheck, isMissing: boolean, config: KeyConfig): string {
  const closed = [
    ...(webhooks.closed === 0 ? [] : [`the signing secrets of ${partOf(webhooks)} webhooks`]),
    ...(authenticators.closed === 0 ? [] : [`the secrets of ${partOf(authenticators)} authenticators`]),
  ].join(" and ");
  const file = join(config.dataDir, SECRET_KEY_FILE);
  const sentence = isMissing
    ? `The key that opens ${closed} is missing`
    : `The key ${config.secretKey === null ? `in ${file}` : "in ROSTRUM_SECRET_KEY"} does not open ${closed}`;
  const lost = [
    ...(webhooks.closed === 0 ? [] : ["delete those webhooks and create them anew"]),
    ...(authenticators.closed === 0
      ? []
      : ['turn those authenticators off with "rostrum user reset-password EMAIL --without-totp"']),
  ].join(", and ");
  return `${sentence}: put the ${SECRET_KEY_FILE} that belongs to this data back as ${file}, or set ROSTRUM_SECRET_KEY to its content; where it is lost, ${lost}.`;
}

function partOf({ opened, closed }: Tried): string {
  return `${closed} of ${opened + closed}`;
}
