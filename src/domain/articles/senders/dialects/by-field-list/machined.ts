import type { Dialect } from "../../dialect.ts";

export const machined: Dialect = {
  kind: "machined",
  name: "Machined",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  articles: [""],
  fields: { markdown: ["article_content_markdown"], meta_description: ["article_description"] },
  id: ["article_id"],
  isTried: false,
  setup:
    "In Machined, add a webhook, as for Zapier, Make or n8n, and paste the address, a slash and the secret as its URL.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
