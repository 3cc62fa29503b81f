import type { Attempt, PostResult } from "../../domain/webhooks/attempt.ts";
import { foreignLine, foreignText } from "../../domain/system/foreign-text.ts";
import { composeMessage, messageBody } from "../../domain/webhooks/webhook-message.ts";
import type { UnsealedEndpoint } from "./record-attempts.ts";
import type { Deps } from "../system/deps.ts";

/** The message to send. */
export interface Sending {
  endpointId: string;
  eventId: string;
  /** null for a test. */
  sequence: number | null;
  /** The event's envelope as JSON; bytes are UTF-8. */
  payload: string | Uint8Array;
  /** The event's (domain/webhooks/event.ts); read for extended payloads only. */
  extension?: string | null;
  traceparent: string | null;
}

const KEPT_BODY_BYTES = 8 * 1_024;
/** Errors about a certificate contain text from the certificate. */
const MAX_ERROR = 1_000;
const MAX_HEADERS = 200;
const MAX_HEADER = 8_000;

/**
 * Sends one POST, signed with the current time. `number`: that of the attempt, from 1 on; `spanId`: 8 random bytes.
 *
 * @returns the attempt as logged, and the result. @throws when the message cannot be made: nothing was sent.
 */
export async function makeAttempt(
  deps: Pick<Deps, "clock" | "post">,
  endpoint: UnsealedEndpoint,
  { endpointId, eventId, sequence, payload, extension = null, traceparent }: Sending,
  number: number,
  spanId: Buffer,
  signal?: AbortSignal,
): Promise<{ attempt: Attempt; result: PostResult }> {
  const startedAt = deps.clock();
  const body = messageBody(payload, endpoint.payload, extension);
  const { headers, secrets, url, ca, payload: form } = endpoint;
  const source = { eventId, sequence, attempt: number, body, form, headers, secrets, traceparent };
  const message = composeMessage(source, startedAt, spanId);
  const result = await deps.post({ endpointId, url, ca, body, headers: message.headers }, signal);
  const { outcome, status, responseBody, responseHeaders, error, timings } = result;
  return {
    attempt: {
      outcome,
      status,
      timings,
      number,
      error: error === null ? null : foreignLine(error, MAX_ERROR),
      startedAt,
      requestHeaders: message.shownHeaders,
      responseHeaders: responseHeaders
        .slice(0, MAX_HEADERS)
        .map(([name, value]) => [foreignLine(name, MAX_HEADER), foreignLine(value, MAX_HEADER)]),
      responseBody: cleanBody(responseBody),
    },
    result,
  };
}

function cleanBody(body: Buffer): string {
  return foreignText(body.subarray(0, KEPT_BODY_BYTES).toString("utf8"), KEPT_BODY_BYTES);
}
