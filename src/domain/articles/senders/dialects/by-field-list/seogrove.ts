import type { Dialect } from "../../dialect.ts";

export const seoGrove: Dialect = {
  kind: "seogrove",
  name: "SEOGrove",
  secretFrom: "sender",
  credentials: [{ by: "hmac", header: "X-SEOGrove-Signature", prefix: "sha256=" }],
  event: {
    at: ["event", "header:X-SEOGrove-Event"],
    means: { "content.published": "article", "content.deleted": "removal", ping: "test" },
  },
  articles: ["content"],
  id: ["id"],
  isTried: false,
  setup: "In SEOGrove, add a webhook with the address as its URL, and paste its signing secret into Rostrum.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
