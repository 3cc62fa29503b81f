/** Keys that sign review records: Ed25519 (RFC 8032), published as a JWK set (RFC 7517, RFC 8037). */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { isoTimeOrNull, type Millis } from "./time.ts";

export interface SigningKey {
  /** RFC 7638: thumbprint of the public key. */
  id: string;
  /** The value `x` of the JWK. */
  publicKey: string;
  createdAt: Millis;
  /** It signs nothing since then, and what it has signed stays valid. */
  retiredAt: Millis | null;
  /** What it signed since then is not valid. */
  revokedAt: Millis | null;
}

export const SEED_BYTES = 32;
/** The DER of an Ed25519 private key is this and the seed (RFC 8410). */
const PKCS8_START = Buffer.from("302e020100300506032b657004220420", "hex");

export function toPrivateKey(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_START, seed]), format: "der", type: "pkcs8" });
}

export function toSigningKey(seed: Buffer, createdAt: Millis): SigningKey {
  const { x: publicKey = "" } = createPublicKey(toPrivateKey(seed)).export({ format: "jwk" });
  return { id: thumbprint(publicKey), publicKey, createdAt, retiredAt: null, revokedAt: null };
}

function thumbprint(publicKey: string): string {
  return createHash("sha256")
    .update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x: publicKey }))
    .digest("base64url");
}

/** `nbf`, `exp`: seconds; between them the key signs. What it signed from `revoked_at` on (ISO 8601) is not valid. */
export function toJwks(keys: readonly SigningKey[]) {
  return {
    keys: keys.map(({ id, publicKey, createdAt, retiredAt, revokedAt }) => ({
      kty: "OKP",
      crv: "Ed25519",
      x: publicKey,
      kid: id,
      alg: "EdDSA",
      use: "sig",
      nbf: toSeconds(createdAt),
      ...(retiredAt === null ? {} : { exp: toSeconds(retiredAt) }),
      ...(revokedAt === null ? {} : { revoked_at: isoTimeOrNull(revokedAt) }),
    })),
  };
}

export function toSeconds(time: Millis): number {
  return Math.floor(time / 1_000);
}
