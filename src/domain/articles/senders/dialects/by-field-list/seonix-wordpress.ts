import type { Dialect } from "../../dialect.ts";

export const seonixWordPress: Dialect = {
  kind: "seonix-wordpress",
  name: "Seonix (as a WordPress site)",
  secretFrom: "rostrum",
  credentials: [{ by: "header", name: "X-Seonix-Key" }, { by: "header", name: "X-CE-Key" }, { by: "bearer" }],
  // It sends back as `wp_post_id` what it was answered as `post_id`.
  id: ["ce_article_id", "wp_post_id"],
  text: "html",
  isTried: false,
  setup:
    "In Seonix, connect a WordPress site: the address as the address of the site, and the secret as its key. Its custom API is a kind of its own, and the better choice.",
  reply: { body: { post_id: "$external_id", post_url: "$url" } },
};
