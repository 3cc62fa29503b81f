import type { Credential, Dialect } from "../../dialect.ts";

/** Its unit is not documented. */
const signedAt = (unit: "s" | "ms" | "iso"): Credential => ({
  by: "hmac",
  header: "X-Byword-Signature",
  prefix: "sha256=",
  timestamp: { header: "X-Byword-Timestamp", unit },
});

export const byword: Dialect = {
  kind: "byword",
  name: "Byword",
  secretFrom: "sender",
  credentials: [signedAt("s"), signedAt("ms"), signedAt("iso")],
  event: {
    at: ["header:X-Byword-Event"],
    means: { "article.completed": "article", "article.published": "article" },
  },
  text: "html",
  id: ["id"],
  isTried: false,
  setup: "In Byword, add a webhook with the address as its URL, and paste its signing secret into Rostrum.",
  reply: { body: { success: true, message: "$message", articleId: "$id" } },
};
