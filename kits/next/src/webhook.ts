import { type WebhookMessage, verifyWebhook, WebhookVerificationError } from "@rostrum/client";
import { after } from "next/server";
import { recordChange } from "./changes.ts";
import { expire, expireAtOnce } from "./expiry.ts";
import { findRenders } from "./render-registry.ts";
import { tagsOfEvent } from "./tags.ts";

export interface WebhookHandlerOptions {
  /** The webhook's secret (`whsec_…`), or several during a rotation. */
  secret: string | readonly string[];
  /** Called for each message, after the tags have expired. */
  onMessage?: (message: WebhookMessage) => void | Promise<void>;
}

/** Milliseconds after a message at which pages expire again that were rendered from earlier answers. */
const AGAIN_AFTER_MS = [200, 400, 600, 800, 950, 1500, 3000, 12_000];

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
      const renders = findRenders(tags);
      const before = [...new Set([...recordChange(tags), ...renders.tags])];
      expire(tags);
      // Whoever asks for a page after the response gets none that was begun before.
      if (await expireAtOnce(tags)) {
        await renders.over;
        await expireAtOnce(before);
      }
      after(async () => {
        let waited = 0;
        for (const time of AGAIN_AFTER_MS) {
          await new Promise((resolve) => setTimeout(resolve, time - waited));
          waited = time;
          await expireAtOnce(before);
        }
      });
    }
    await onMessage?.(message);
    return new Response(null, { status: 204 });
  };
}
