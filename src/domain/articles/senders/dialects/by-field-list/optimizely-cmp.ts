import type { Dialect } from "../../dialect.ts";

export const optimizelyCmp: Dialect = {
  kind: "optimizely-cmp",
  name: "Optimizely CMP",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  event: { at: ["event_name"], means: { asset_published: "article" } },
  articles: ["data.assets.articles[]"],
  fields: { image: ["images[0].source"], image_alt: ["images[0].caption"] },
  id: ["id"],
  isTried: false,
  setup:
    "In Optimizely CMP, add a webhook for published assets, and paste the address, a slash and the secret as its URL.",
  reply: { body: { success: true, message: "$message" } },
};
