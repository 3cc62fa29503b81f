/** Checks of the secret key for operators' commands. None of them creates a key. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CHOOSE_KEY, SECRET_KEY_FILE, WEAK_KEY } from "../../app/app.ts";
import type { Config } from "../../process/settings/config.ts";
import { AppError } from "../../domain/system/errors.ts";
import { isWeakKey } from "../../domain/system/key-strength.ts";
import { deriveSecretKey, type SecretBox, secretBox } from "../../domain/system/secret-box.ts";
import { checkSecrets, type SecretCheck, type SecretCounts } from "../../operations/system/secret-check.ts";
import { countSealedTexts, type SealedCounts, type SecretKeys } from "../../operations/system/secret-key-rotation.ts";
import { secretKeyFrom } from "../../process/settings/secret-key-file.ts";
import type { Clock, Store } from "../../store/store.ts";

type KeyConfig = Pick<Config, "secretKey" | "previousSecretKey" | "dataDir">;

/** The path of the key file in the data folder; null if ROSTRUM_SECRET_KEY is set. */
export function secretKeyFile(config: KeyConfig): string | null {
  return config.secretKey === null ? join(config.dataDir, SECRET_KEY_FILE) : null;
}

/** Tries the key on every secret. @returns what it decrypts, and what to do. @throws AppError `misconfigured`. */
export async function trySecretKey(
  store: Store & Clock,
  config: KeyConfig,
): Promise<{ opened: string; problem: string | null }> {
  const keys = readSecretKeys(config);
  const box = openBox(config);
  const check = await checkSecrets({ store, clock: () => store.now() }, box);
  const opened = openedIn(check) + (keys.previous === null ? "" : previousIn(await countSealedTexts({ store }, keys)));
  if (isClosed(check)) return { opened, problem: describeProblem(check, box === null, config) };
  return { opened, problem: weakness(config) };
}

/** The current and previous key, if there are any. @throws AppError `misconfigured` when the file holds no key. */
export function readSecretKeys(config: KeyConfig): SecretKeys {
  const { current, previous } = readKeys(config);
  return {
    current: current === undefined ? null : secretBox(current, randomBytes),
    previous: previous === undefined ? null : secretBox(previous, randomBytes),
  };
}

/** Says why the key file cannot be used; null if it holds a key or does not exist yet. */
export function findKeyProblem(config: KeyConfig): string | null {
  try {
    readKeys(config);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function openBox(config: KeyConfig): SecretBox | null {
  const { current, previous } = readKeys(config);
  const key = current ?? previous;
  return key === undefined ? null : secretBox(key, randomBytes, previous);
}

function readKeys(config: KeyConfig): { current: Buffer | undefined; previous: Buffer | undefined } {
  const file = secretKeyFile(config);
  const ofFile = file === null || !existsSync(file) ? undefined : secretKeyFrom(file, randomBytes);
  return {
    current: ofFile ?? deriveSecretKey(config.secretKey ?? ""),
    previous: deriveSecretKey(config.previousSecretKey ?? ""),
  };
}

/** Whether the previous key can be removed, or what to do first. */
function previousIn({ previous }: SealedCounts): string {
  return previous === 0
    ? "; nothing needs ROSTRUM_SECRET_KEY_PREVIOUS any more: remove it"
    : `; ${previous} secrets still need ROSTRUM_SECRET_KEY_PREVIOUS: run "rostrum key rotate-secret"`;
}

function isClosed(check: SecretCheck): boolean {
  return SEALED.some(({ kind }) => check[kind].closed > 0);
}

/** `remedy`: what to do where their key is lost. */
const SEALED = [
  { kind: "webhooks", what: "the signing secrets of", remedy: "delete those webhooks and create them again" },
  {
    kind: "authenticators",
    what: "the secrets of",
    remedy: 'turn those authenticators off with "rostrum user reset-password EMAIL --without-totp"',
  },
  { kind: "senders", what: "the secrets of", remedy: "delete those senders and create them again" },
  { kind: "review keys", what: "the secrets of", remedy: 'make a new one with "rostrum review-key rotate"' },
] as const satisfies { kind: keyof SecretCheck; what: string; remedy: string }[];

function weakness({ secretKey }: KeyConfig): string | null {
  return secretKey === null || !isWeakKey(secretKey) ? null : `${WEAK_KEY}: ${CHOOSE_KEY}`;
}

function openedIn(check: SecretCheck): string {
  const opened = SEALED.filter(({ kind }) => check[kind].opened > 0);
  if (opened.length === 0) return "none";
  return `the key opens ${joinAll(opened.map(({ kind, what }) => `${what} ${check[kind].opened} ${kind}`))}`;
}

function joinAll(parts: readonly string[]): string {
  return parts.length < 3 ? parts.join(" and ") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function describeProblem(check: SecretCheck, isMissing: boolean, config: KeyConfig): string {
  const found = SEALED.filter(({ kind }) => check[kind].closed > 0);
  const closed = joinAll(found.map(({ kind, what }) => `${what} ${describePart(check[kind])} ${kind}`));
  const file = join(config.dataDir, SECRET_KEY_FILE);
  const sentence = isMissing
    ? `The key that opens ${closed} is missing`
    : `The key ${config.secretKey === null ? `in ${file}` : "in ROSTRUM_SECRET_KEY"} does not open ${closed}`;
  const lost = found.map(({ remedy }) => remedy).join(", and ");
  return `${sentence}: put the ${SECRET_KEY_FILE} that belongs to this data back as ${file}, or set ROSTRUM_SECRET_KEY to its content; where it is lost, ${lost}.`;
}

function describePart({ opened, closed }: SecretCounts): string {
  return `${closed} of ${opened + closed}`;
}
