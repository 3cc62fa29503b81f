import { createWebhookHandler } from "@rostrum/next";

/** Webhooks of the Rostrum service renew the pages that they concern. */
export const POST = createWebhookHandler({ secret: process.env.WEBHOOK_SECRET ?? "" });
