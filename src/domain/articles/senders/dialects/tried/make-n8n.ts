import type { Dialect } from "../../dialect.ts";

export const makeN8n: Dialect = {
  kind: "make-n8n",
  name: "Make, n8n, Zapier",
  secretFrom: "rostrum",
  credentials: [
    { by: "field", at: "secret" },
    { by: "bearer" },
    { by: "basic" },
    { by: "header", name: "X-Webhook-Secret" },
    { by: "header", name: "X-API-Key" },
  ],
  test: ["mode=test"],
  isTried: true,
  setup:
    "Add a step that sends JSON by POST to the address, with the secret as a bearer token or in the field secret, and the article in the field post with title, content, slug and what else you have.",
  reply: { body: { success: true, post: { id: "$id", slug: "$slug", title: "$title", url: "$url" } } },
  sample: {
    body: {
      mode: "publish",
      post: {
        title: "Cleaning a kettle without vinegar",
        content: "<h2>Citric acid</h2><p>One spoon for a litre, cold.</p>",
        excerpt: "One spoon of citric acid.",
        categories: ["Household"],
        tags: ["kettle", "limescale"],
        featuredImageUrl: "https://pictures.example/kettle.jpg",
      },
    },
  },
};
