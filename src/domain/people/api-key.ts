/**
 * `rs_`, or `rm_` for access tokens, 30 base62 characters, and their CRC-32 in 6 more. The checksum rejects garbage
 * without a query, and lets secret scanners tell a key from noise. Only SHA-256, prefix and last four characters are
 * stored.
 */
import { createHash } from "node:crypto";
import type { Millis } from "../system/time.ts";
import { AppError } from "../system/errors.ts";

/** `preview` is for builds of a staging site: it reads every article as it would be if all were published. */
export const KEY_SCOPES = ["all", "published", "preview"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export interface ApiKey {
  id: string;
  websiteId: string;
  name: string;
  /** SHA-256 of the key, hexadecimal. */
  hash: string;
  /** The first characters, to tell keys apart: `rs_` and four more. */
  prefix: string;
  lastFour: string;
  scope: KeyScope;
  /** Requests per second; `null` for the service's default, 0 for no limit. */
  rateLimit: number | null;
  createdAt: Millis;
  expiresAt: Millis | null;
  lastUsedAt: Millis | null;
  revokedAt: Millis | null;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS = 30;
const CHECK_CHARACTERS = 6;
/** The number of characters after the prefix is the sum of the two counts above. */
const SHAPE = /^r[sm]_[0-9A-Za-z]{36}$/;

export type KeyPrefix = "rs_" | "rm_";

/** `randomBytes(n)` must be cryptographically secure. @returns the key itself, to be shown once. */
export function mintKey(randomBytes: (size: number) => Uint8Array, prefix: KeyPrefix = "rs_"): string {
  const body = mintBase62(randomBytes, RANDOM_CHARACTERS);
  return `${prefix}${body}${checksum(body)}`;
}

export function mintBase62(randomBytes: (size: number) => Uint8Array, characters: number): string {
  let text = "";
  while (text.length < characters) {
    for (const byte of randomBytes(characters)) {
      // 248 = 4 × 62: larger bytes would make the first eight characters likelier.
      if (byte < 248 && text.length < characters) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

export function isWellFormedKey(text: string, prefix: KeyPrefix = "rs_"): boolean {
  if (!text.startsWith(prefix) || !SHAPE.test(text)) return false;
  const body = text.slice(3, 3 + RANDOM_CHARACTERS);
  return checksum(body) === text.slice(3 + RANDOM_CHARACTERS);
}

export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export function keyTraces(key: string): { hash: string; prefix: string; lastFour: string } {
  return { hash: hashKey(key), prefix: key.slice(0, 7), lastFour: key.slice(-4) };
}

/** @returns why the key is rejected at `now`, or null. */
export function keyRefusal(key: Pick<ApiKey, "revokedAt" | "expiresAt">, now: Millis): "revoked" | "expired" | null {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  return null;
}

/** Parses a new key's expiry; null if it never expires. @throws AppError `invalid` for a time in the past. */
export function parseExpiry(text: string | null, now: Millis): Millis | null {
  if (text === null) return null;
  const at = Date.parse(text);
  if (!(at > now)) {
    throw new AppError("invalid", "It must expire in the future, at a time like 2030-12-31T23:59:59.000Z.", {
      field: "expires_at",
    });
  }
  return at;
}

function checksum(body: string): string {
  // Loaded here, as at a start it would take 3 ms and 1.7 MB.
  let rest = process.getBuiltinModule("node:zlib").crc32(body);
  let text = "";
  for (let at = 0; at < CHECK_CHARACTERS; at++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
