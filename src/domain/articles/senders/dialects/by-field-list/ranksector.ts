import type { Dialect } from "../../dialect.ts";

export const rankSector: Dialect = {
  kind: "ranksector",
  name: "Rank Sector",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  event: { at: ["event_type"], means: { content_publish: "article", test: "test" } },
  id: ["slug"],
  isTried: false,
  setup:
    "In Rank Sector, add a webhook, and paste the address, a slash and the secret as its URL; its own secret may be anything.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
