import type { Dialect } from "../../dialect.ts";

export const jenna: Dialect = {
  kind: "jenna",
  name: "Jenna.so",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  event: { at: ["metadata.event_type"], means: { BLOG_POST_GENERATED: "article" } },
  articles: ["data.blog_post"],
  id: ["id"],
  isTried: false,
  setup:
    "In Jenna.so, add a webhook and paste the address, a slash and the secret as its URL; its own signing secret may be anything.",
  reply: { body: { success: true, id: "$id", url: "$url" } },
};
