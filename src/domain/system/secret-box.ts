/** AES-256-GCM with a fresh nonce, bound to a context: a sealed text that is moved to another row cannot be opened. */
import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import { AppError } from "./errors.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "v1.";

export interface SecretBox {
  /** @returns text that only the same key and context can open. */
  seal(plain: string, context: string): string;
  /** @throws AppError `misconfigured` if the key is another one, or the text was changed. */
  open(sealed: string, context: string): string;
}

/** @param previousKey opens what `key` does not, while it is being replaced. Both are 32 bytes. */
export function secretBox(key: Buffer, randomBytes: (size: number) => Buffer, previousKey?: Buffer): SecretBox {
  const keys = previousKey === undefined ? [key] : [key, previousKey];
  return {
    seal: (plain, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return VERSION + sealed.toString("base64url");
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
      let cause: unknown;
      for (const one of keys) {
        try {
          return decipher(one, bytes, context);
        } catch (error) {
          cause ??= error;
        }
      }
      throw new AppError(
        "misconfigured",
        "The signing secrets in the database were encrypted with another key: set ROSTRUM_SECRET_KEY to that one, or put its secret.key back into the data folder. If it is lost, delete the webhooks and create them again.",
        { cause },
      );
    },
  };
}

/** @throws if the key or the context is another one, or the bytes were changed. */
function decipher(key: Buffer, bytes: Buffer, context: string): string {
  const opened = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return opened.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + opened.final("utf8");
}

/** A shorter phrase could be guessed. */
const MIN_PHRASE = 16;

export function isSecretKey(text: string): boolean {
  return text.trim().length >= MIN_PHRASE;
}

/** A person's setting: 32 bytes as written, or 16 characters or more, stretched by scrypt (RFC 7914, 60 ms). */
export function deriveSecretKey(text: string): Buffer | undefined {
  if (!isSecretKey(text)) return undefined;
  return parseSecretKey(text) ?? scryptSync(text.trim(), "rostrum secret key", KEY_BYTES);
}

/** The key from 64 hexadecimal digits or 32 bytes of Base64; undefined for anything else. */
export function parseSecretKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, "hex")
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, "base64")
      : undefined;
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}
