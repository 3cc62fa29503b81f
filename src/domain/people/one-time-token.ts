/** Bearer tokens: sessions, one-time links, challenges. Only their SHA-256 is stored. */
import { createHash } from "node:crypto";

const BYTES = 32;

export const LINK_PURPOSES = ["set-up", "invitation", "reset"] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** 256 bits as 43 characters. `randomBytes` must be cryptographically secure. */
export function mintToken(randomBytes: (size: number) => Buffer): string {
  return randomBytes(BYTES).toString("base64url");
}

/** SHA-256, hexadecimal. A token of 256 random bits needs no slow hash. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
