import type { Dialect } from "../../dialect.ts";

export const autoSeo: Dialect = {
  kind: "autoseo",
  name: "AutoSEO",
  secretFrom: "sender",
  credentials: [{ by: "bearer" }, { by: "hmac", header: "X-AutoSEO-Signature" }],
  event: { at: ["event", "header:X-AutoSEO-Event"], means: { "article.published": "article", test: "test" } },
  id: ["id+languageCode"],
  isTried: false,
  setup:
    "In AutoSEO, add a webhook with the address as its URL, and paste the token that it shows, which begins with aseo_wh_, into Rostrum.",
  reply: { body: { url: "$url" } },
};
