import type { Dialect } from "../../dialect.ts";

export const soro: Dialect = {
  kind: "soro",
  name: "Soro",
  secretFrom: "rostrum",
  credentials: [{ by: "header", name: "X-Soro-Key" }, { by: "bearer" }],
  id: ["soro_article_id"],
  text: "html",
  isTried: false,
  setup: "In Soro, connect a WordPress site: the address as the address of the site, and the secret as its key.",
  reply: { status: 201, body: { success: true, post_id: "$id", post_url: "$url", duplicate: "$duplicate" } },
  testReply: { body: { success: true } },
};
