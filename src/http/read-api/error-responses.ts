import { type ErrorReply, refusal } from "../errors.ts";
import type { AuthenticatedKey } from "./key-auth.ts";

export function unauthorized(message: string): ErrorReply {
  return refusal(401, message, { headers: { "WWW-Authenticate": 'ApiKey realm="Rostrum", header="X-API-Key"' } });
}

export function tooManyRequests({ bucket }: AuthenticatedKey): ErrorReply {
  const wait = bucket?.retryAfterSeconds ?? 1;
  return refusal(429, `Too many requests with this API key; wait ${wait} s, or ask for a higher limit.`, {
    headers: { "Retry-After": String(wait) },
  });
}
