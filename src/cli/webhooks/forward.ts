/** Forwards events to a developer's own URL in order: each is sent after the previous one was accepted. */
import { setTimeout as wait } from "node:timers/promises";
import type { Dispatcher } from "undici";
import type { Millis } from "../../domain/system/time.ts";
import { composeMessage } from "../../domain/webhooks/webhook-message.ts";
import { type FeedEvent, describeFailure } from "./feed.ts";

export interface ForwardOptions {
  agent: Dispatcher;
  /** No SSRF guard applies: developers name a URL on their own machine. */
  url: URL;
  secret: string;
  clock: () => Millis;
  randomBytes: (size: number) => Buffer;
  signal: AbortSignal;
  /** Called after a failed attempt, before the pause. */
  onFailure: (event: FeedEvent, reason: string, pauseMs: number) => void;
}

/** The timeout of a webhook attempt (docs/specification.md, section 6.7). */
const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
/** How much of a response's body is read so that its connection can be reused. */
const DUMPED_BYTES = 64 * 1_024;

/** Sends the event repeatedly until it is accepted (2xx). @returns the status and duration; null when stopped first. */
export async function forward(
  event: FeedEvent,
  options: ForwardOptions,
): Promise<{ status: number; ms: number } | null> {
  const { signal } = options;
  for (let attempt = 1; !signal.aborted; attempt++) {
    const startedAt = performance.now();
    const answer = await post(event, attempt, options);
    // An accepted event counts even if the command was stopped meanwhile.
    if (typeof answer === "number" && answer >= 200 && answer < 300) {
      return { status: answer, ms: Math.round(performance.now() - startedAt) };
    }
    if (signal.aborted) break;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
    options.onFailure(event, typeof answer === "number" ? `the answer is ${answer}` : answer, pauseMs);
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

/** @returns the status, or why there is none. */
async function post(event: FeedEvent, attempt: number, options: ForwardOptions): Promise<number | string> {
  const { agent, url, secret, clock, randomBytes, signal } = options;
  const { headers } = composeMessage(
    {
      eventId: event.id,
      sequence: event.sequence,
      attempt,
      body: event.payload,
      form: "full",
      headers: {},
      secrets: [secret],
      traceparent: null,
    },
    clock(),
    randomBytes(8),
  );
  try {
    const { statusCode, body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers,
      body: event.payload,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    // Only the status matters; failing to read the body does not.
    await body.dump({ limit: DUMPED_BYTES, signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    return statusCode;
  } catch (error) {
    return describeFailure(error, TIMEOUT_MS);
  }
}
