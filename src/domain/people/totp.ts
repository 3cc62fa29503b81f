/** Codes of an authenticator app (RFC 6238: six digits, SHA-1, 30 seconds), and recovery codes for when it is lost. */
import { Secret, TOTP } from "otpauth";
import { createHash } from "node:crypto";
import type { Millis } from "../system/time.ts";

const ISSUER = "Rostrum";
const SECRET_BYTES = 20;
const STEP_S = 30;
/** Steps accepted before and after the current one: clocks differ, and people type slowly. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** 80 bits, too many to find a code from its hash by brute force. */
const RECOVERY_BYTES = 10;

/** @returns the secret in base32. `randomBytes` must be cryptographically secure. */
export function mintTotpSecret(randomBytes: (size: number) => Buffer): string {
  return base32(randomBytes(SECRET_BYTES));
}

/** The URI for the QR code. `issuer` distinguishes this service from a person's others. */
export function totpUri(secret: string, email: string, issuer = ISSUER): string {
  return createTotp(secret, email, issuer).toString();
}

/** The time step of the code, at most one before or after now; null if the code is wrong. */
export function findCodeStep(secret: string, code: string, now: Millis): number | null {
  const digits = code.replaceAll(/[\s-]/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const delta = createTotp(secret, "", ISSUER).validate({ token: digits, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1_000 / STEP_S) + delta;
}

/** Ten codes of the form `ABCD-EFGH-IJKL-MNOP`. */
export function mintRecoveryCodes(randomBytes: (size: number) => Buffer): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (base32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g) ?? []).join("-"),
  );
}

/** SHA-256 of the normalised code; null if it does not look like a code. */
export function hashRecoveryCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, "").toUpperCase();
  return /^[A-Z2-7]{16}$/.test(code) ? createHash("sha256").update(code).digest("hex") : null;
}

function createTotp(secret: string, label: string, issuer: string): TOTP {
  return new TOTP({ issuer, label, algorithm: "SHA1", digits: 6, period: STEP_S, secret: Secret.fromBase32(secret) });
}

function base32(bytes: Buffer): string {
  // Secret takes a whole ArrayBuffer, and a small Buffer is part of a larger one.
  return new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;
}
