import type { Dialect } from "../../dialect.ts";

export const blogSeo: Dialect = {
  kind: "blogseo",
  name: "BlogSEO",
  secretFrom: "sender",
  credentials: [{ by: "header", name: "X-Webhook-Secret" }],
  articles: ["article"],
  isTried: false,
  setup:
    "In BlogSEO, add a webhook with the address as its URL, in Markdown or HTML, and paste the secret that it makes into Rostrum.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
