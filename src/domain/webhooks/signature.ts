/**
 * Standard Webhooks signatures (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`. A secret is
 * `whsec_` and the Base64 of its bytes; an endpoint may have several while one is being rotated, and each signs.
 */
import { createHmac } from "node:crypto";

const PREFIX = "whsec_";
/** The standard requires 24 to 64. */
const SECRET_BYTES = 32;

/** @returns a new secret, to be shown once. */
export function mintSecret(randomBytes: (size: number) => Buffer): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Headers of one attempt. `timestamp` is in whole seconds since the epoch; `secrets` are as minted, at least one. */
export function signedHeaders(
  messageId: string,
  timestamp: number,
  body: string | Uint8Array,
  secrets: readonly string[],
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
        .update(`${messageId}.${timestamp}.`)
        .update(body)
        .digest("base64")}`,
  );
  return {
    "webhook-id": messageId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
