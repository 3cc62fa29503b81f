import type { Attempt, PostResult } from "../../domain/webhooks/attempt.ts";
import { foreignLine, foreignText } from "../../domain/system/foreign-text.ts";
import { composeMessage, messageBody } from "../../domain/webhooks/webhook-message.ts";
import type { Target } from "./record-attempts.ts";
import type { Deps } from "../system/deps.ts";

/** What is sent, and as which attempt of it. */
export interface Sending {
  endpointId: string;
  eventId: string;
  /** Null: a test has none. */
  sequence: number | null;
  /** The event's envelope as JSON. */
  payload: string;
  /** 1 is the first. */
  number: number;
}

const KEPT_BODY_BYTES = 8 * 1_024;
/** A certificate names its owner in the errors about it. */
const MAX_ERROR = 1_000;
const MAX_HEADERS = 200;
const MAX_HEADER = 8_000;

/**
 * One POST, signed at this moment. `spanId`: 8 random bytes.
 *
 * @returns what the log keeps of it, and how it ended. @throws when the message cannot be made: nothing was sent.
 */
export async function makeAttempt(
  deps: Pick<Deps, "clock" | "post">,
  target: Target,
  { endpointId, eventId, sequence, payload, number }: Sending,
  spanId: Buffer,
  signal?: AbortSignal,
): Promise<{ attempt: Attempt; result: PostResult }> {
  const startedAt = deps.clock();
  const body = messageBody(payload, target.thin);
  const { headers, secrets, url, ca } = target;
  const message = composeMessage({ eventId, sequence, attempt: number, body, headers, secrets }, startedAt, spanId);
  const result = await deps.post({ endpointId, url, ca, body, headers: message.headers }, signal);
  const { responseBody, responseHeaders, error, ...rest } = result;
  return {
    attempt: {
      ...rest,
      number,
      error: error === null ? null : foreignLine(error, MAX_ERROR),
      startedAt,
      requestHeaders: message.shownHeaders,
      responseHeaders: responseHeaders
        .slice(0, MAX_HEADERS)
        .map(([name, value]) => [foreignLine(name, MAX_HEADER), foreignLine(value, MAX_HEADER)]),
      responseBody: keptBody(responseBody),
    },
    result,
  };
}

function keptBody(body: Buffer): string {
  return foreignText(body.subarray(0, KEPT_BODY_BYTES).toString("utf8"), KEPT_BODY_BYTES);
}
