import { type WebhookMessage, verifyWebhook, WebhookVerificationError } from "@rostrum/client";
import { after } from "next/server";
import { expire, expireAtOnce, recordChange } from "./expiry.ts";
import { tagsOfEvent } from "./tags.ts";

export interface WebhookHandlerOptions {
  /** The webhook's secret (`whsec_…`), or several during a rotation. */
  secret: string | readonly string[];
  /** Called for each message, after the tags have expired. */
  onMessage?: (message: WebhookMessage) => void | Promise<void>;
}

/**
 * Milliseconds after a message at which its tags expire again. A page that was being rendered when an article changed may be stored
 * after the message, with earlier content.
 */
const AGAIN_AFTER_MS = [300, 600, 950, 3000, 12_000];

/**
 * Handles webhooks, in `app/…/route.ts`: `export const POST = createWebhookHandler({ secret })`. Answers 204, or 401 if the message
 * is not genuine.
 */
export function createWebhookHandler({ secret, onMessage }: WebhookHandlerOptions) {
  return async (request: Request): Promise<Response> => {
    let message: WebhookMessage;
    try {
      message = await verifyWebhook(request, secret);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return new Response(error.message, { status: 401 });
    }
    // A test message has no sequence, and reports no change.
    if (message.sequence !== null) {
      const tags = tagsOfEvent(message.event);
      recordChange(tags);
      expire(tags);
      after(async () => {
        let waited = 0;
        for (const time of AGAIN_AFTER_MS) {
          await new Promise((resolve) => setTimeout(resolve, time - waited));
          waited = time;
          await expireAtOnce(tags);
        }
      });
    }
    await onMessage?.(message);
    return new Response(null, { status: 204 });
  };
}
