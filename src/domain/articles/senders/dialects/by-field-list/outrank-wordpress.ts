import type { Dialect } from "../../dialect.ts";

export const outrankWordPress: Dialect = {
  kind: "outrank-wordpress",
  name: "Outrank (as a WordPress site)",
  secretFrom: "rostrum",
  credentials: [{ by: "field", at: "secret" }],
  test: ["title!"],
  // It sends back as `id` what it was answered as `post_id`.
  id: ["id", "current_slug", "slug"],
  text: "html",
  isTried: false,
  setup:
    "In Outrank, connect a WordPress site: the address as the address of the site, and the secret as its key. Its webhook is a kind of its own, and the better choice.",
  reply: { body: { success: true, post_id: "$external_id" } },
};
