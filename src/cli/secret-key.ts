/** What commands for operators say of the key that opens the webhooks' signing secrets. None of them makes one. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SECRET_KEY_FILE } from "../app.ts";
import type { Config } from "../config.ts";
import { keyOfSetting, type SecretBox, secretBox } from "../domain/secret-box.ts";
import { checkSecrets, type SecretCheck } from "../operations/secret-check.ts";
import { secretKeyFrom } from "../secret-key.ts";
import type { Store } from "../store/store.ts";

type KeyConfig = Pick<Config, "secretKey" | "dataDir">;

/** Where the key stands when it is a file of the data folder; null: it is set by ROSTRUM_SECRET_KEY. */
export function secretKeyFile(config: KeyConfig): string | null {
  return config.secretKey === null ? join(config.dataDir, SECRET_KEY_FILE) : null;
}

/**
 * Tries the key on every webhook of the store.
 *
 * @returns the numbers, and what to do in a sentence when a secret stays closed. @throws AppError `misconfigured` when
 * the key's file holds no key.
 */
export async function trySecretKey(store: Store, config: KeyConfig): Promise<SecretCheck & { problem: string | null }> {
  const box = openBox(config);
  const check = await checkSecrets({ store, clock: Date.now }, box);
  return { ...check, problem: check.closed === 0 ? null : problemOf(check, box === null, config) };
}

function openBox(config: KeyConfig): SecretBox | null {
  const file = secretKeyFile(config);
  if (file !== null && !existsSync(file)) return null;
  const key = file === null ? keyOfSetting(config.secretKey ?? "") : secretKeyFrom(file, randomBytes);
  return key === undefined ? null : secretBox(key, randomBytes);
}

function problemOf({ opened, closed }: SecretCheck, isMissing: boolean, config: KeyConfig): string {
  const what = `the signing secrets of ${closed} of ${opened + closed} webhooks`;
  const file = join(config.dataDir, SECRET_KEY_FILE);
  const sentence = isMissing
    ? `The key that opens ${what} is missing`
    : `The key ${config.secretKey === null ? `in ${file}` : "in ROSTRUM_SECRET_KEY"} does not open ${what}`;
  return `${sentence}: put the ${SECRET_KEY_FILE} that belongs to this data back as ${file}, or set ROSTRUM_SECRET_KEY to its content; where it is lost, delete those webhooks and create them anew.`;
}
