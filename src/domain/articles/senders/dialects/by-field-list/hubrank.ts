import type { Dialect } from "../../dialect.ts";

export const hubrank: Dialect = {
  kind: "hubrank",
  name: "Hubrank",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  id: ["id"],
  isTried: false,
  setup:
    "In Hubrank, choose the connection to Zapier, and paste the address, a slash and the secret where it asks for Zapier's catch hook.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
