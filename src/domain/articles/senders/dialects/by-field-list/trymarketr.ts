import type { Dialect } from "../../dialect.ts";

export const tryMarketr: Dialect = {
  kind: "trymarketr",
  name: "tryMarketr",
  secretFrom: "rostrum",
  credentials: [
    { by: "path" },
    { by: "hmac", header: "X-Webhook-Signature" },
    { by: "hmac", header: "X-Webhook-Signature", prefix: "sha256=" },
  ],
  event: { at: ["action"], means: { publish: "article", update: "article", unpublish: "removal", test: "test" } },
  articles: ["article"],
  text: "html",
  id: ["id"],
  isTried: false,
  setup: "In tryMarketr, add a webhook, and paste the address, a slash and the secret as its URL.",
  reply: { body: { success: true } },
};
