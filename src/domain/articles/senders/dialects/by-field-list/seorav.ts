import type { Dialect } from "../../dialect.ts";

export const seorav: Dialect = {
  kind: "seorav",
  name: "SEORAV",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  isTried: false,
  setup:
    "In SEORAV, add a webhook, and paste the address, a slash and the secret as its URL; its own secret may be anything. It looks at the public address at once, where nothing stands before the article is published.",
  reply: { body: { success: true, url: "$url" } },
};
