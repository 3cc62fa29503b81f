/**
 * Verifies webhooks, which are signed by Standard Webhooks (https://www.standardwebhooks.com). Uses Web Crypto, so it runs
 * everywhere.
 */
import { WebhookVerificationError } from "./errors.ts";
import type { ArticleEvent } from "./types.ts";

/** Maximum age of a message, and how far its time may be ahead of our clock. */
const TOLERANCE_SECONDS = 300;

export interface WebhookMessage {
  /** The event's id, the same in every attempt and replay. Use it to drop duplicates. */
  id: string;
  /** The event's sequence within the website; null for a test message. */
  sequence: number | null;
  /** 1 for the first attempt, 2 for the first retry. */
  attempt: number;
  event: ArticleEvent;
}

/** A Fetch API `Request`, or the headers and the exact body as received. */
export type SignedRequest =
  | Request
  | { headers: Headers | Record<string, string | string[] | undefined>; body: string | Uint8Array };

/**
 * @param secret `whsec_…`, or several during a rotation. @throws WebhookVerificationError unless it is genuine and at most five
 * minutes old.
 */
export async function verifyWebhook(
  request: SignedRequest,
  secret: string | readonly string[],
): Promise<WebhookMessage> {
  const { header, body } = await readSigned(request);
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const signatures = header("webhook-signature");
  if (id === null || timestamp === null || signatures === null) {
    throw new WebhookVerificationError("The message has no signature.");
  }
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) {
    throw new WebhookVerificationError("The message is older than five minutes, or the clock is wrong.");
  }
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  for (const one of [secret].flat()) {
    const key = await importKey(one, "verify");
    for (const signature of signatures.split(" ")) {
      if (!signature.startsWith("v1,")) continue;
      const bytes = fromBase64(signature.slice(3));
      if (bytes === null || !(await crypto.subtle.verify("HMAC", key, bytes, signed))) continue;
      const sequence = header("webhook-sequence");
      return {
        id,
        sequence: sequence === null ? null : Number(sequence),
        attempt: Number(header("webhook-attempt") ?? 1),
        event: JSON.parse(new TextDecoder().decode(body)) as ArticleEvent,
      };
    }
  }
  throw new WebhookVerificationError("The signature is wrong: is this the secret of this webhook?");
}

/** @returns `v1,…`, the signature that the service would send. For tests. */
export async function signWebhook(secret: string, id: string, timestamp: number, body: string): Promise<string> {
  const key = await importKey(secret, "sign");
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  return `v1,${btoa(String.fromCodePoint(...new Uint8Array(mac)))}`;
}

/** @throws TypeError when the secret is malformed or missing, as JavaScript passes an environment variable that is not set. */
async function importKey(secret: string | undefined, use: "sign" | "verify"): Promise<CryptoKey> {
  const trimmed = secret?.trim() ?? "";
  const bytes = trimmed.startsWith("whsec_") ? fromBase64(trimmed.slice("whsec_".length)) : null;
  if (bytes === null || bytes.length === 0) throw new TypeError('A webhook\'s secret is "whsec_" followed by Base64.');
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
  } catch {
    return null;
  }
}

async function readSigned(request: SignedRequest) {
  if (request instanceof Request) {
    const { headers } = request;
    return { header: (name: string) => headers.get(name), body: new Uint8Array(await request.arrayBuffer()) };
  }
  const { headers, body } = request;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (headers instanceof Headers) return { header: (name: string) => headers.get(name), body: bytes };
  const header = (name: string): string | null => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(" ") : (value ?? null);
  };
  return { header, body: bytes };
}
