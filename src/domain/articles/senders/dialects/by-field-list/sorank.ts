import type { Dialect } from "../../dialect.ts";

export const sorank: Dialect = {
  kind: "sorank",
  name: "Sorank",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }],
  event: { at: ["event"], means: { "article.published": "article", "webhook.test": "test" } },
  articles: ["article"],
  id: ["slug"],
  isTried: false,
  setup: "In Sorank, add a webhook with the address as its URL and the secret as its webhook secret.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
