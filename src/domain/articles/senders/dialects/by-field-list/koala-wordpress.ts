import type { Dialect } from "../../dialect.ts";

export const koalaWordPress: Dialect = {
  kind: "koala-wordpress",
  name: "Koala (as a WordPress site)",
  secretFrom: "rostrum",
  credentials: [{ by: "field", at: "data.uuid" }],
  event: {
    at: ["command"],
    means: { publish_posts: "article", connect: "test", check_connection_status: "test" },
  },
  articles: ["data.posts[]"],
  fields: { status: ["state"], published_at: ["date"] },
  id: ["slug"],
  text: "html",
  isTried: false,
  setup:
    "In Koala, connect a WordPress site: the address as the address of the site, and the secret as its secret token. Pictures that it uploads by themselves are not taken.",
  reply: { body: { success: true, data: { message: "$message", posts_permalinks: {} } } },
};
