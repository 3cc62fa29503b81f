import type { Dialect } from "../../dialect.ts";

export const soreno: Dialect = {
  kind: "soreno",
  name: "Soreno",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }],
  event: { at: ["event_type"], means: { publish_articles: "article", test: "test" } },
  articles: ["data.articles[]"],
  id: ["id"],
  isTried: false,
  setup: "In Soreno, add a webhook integration: the address as its endpoint and the secret as its access token.",
  reply: { body: { message: "Webhook processed successfully" } },
};
