import type { Dialect } from "../../dialect.ts";

export const outwrite: Dialect = {
  kind: "outwrite",
  name: "outwrite.ai",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  text: "html",
  isTried: false,
  setup: "In outwrite.ai, add a webhook, and paste the address, a slash and the secret as its URL.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
