import type { Dialect } from "../../dialect.ts";

export const stackSerpWordPress: Dialect = {
  kind: "stackserp-wordpress",
  name: "StackSerp (as a WordPress site)",
  secretFrom: "rostrum",
  credentials: [
    { by: "header", name: "X-StackSerp-Key" },
    { by: "header", name: "X-BlogForge-Key" },
  ],
  id: ["slug"],
  text: "html",
  isTried: false,
  setup:
    "In StackSerp, connect a WordPress site: the address as the address of the site, and the secret as its key. Its webhook is a kind of its own, and the better choice.",
  reply: { body: { post_id: "$id", post_url: "$url", edit_url: "" } },
};
