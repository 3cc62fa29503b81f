import type { Dialect } from "../../dialect.ts";

export const hovers: Dialect = {
  kind: "hovers",
  name: "Hovers",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }, { by: "basic" }],
  event: {
    at: ["event", "event_type", "type"],
    means: { "article.published": "article", "article.updated": "article", "article.deleted": "removal" },
  },
  isTried: false,
  setup:
    "In Hovers, add a webhook with the address as its URL, choose Bearer as its authentication, and paste the secret as its token.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
