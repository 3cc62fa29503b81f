import type { Dialect } from "../../dialect.ts";

export const journalistAi: Dialect = {
  kind: "journalist-ai",
  name: "Journalist AI",
  secretFrom: "rostrum",
  credentials: [{ by: "header", name: "X-SECRET" }],
  isTried: true,
  setup:
    "In Journalist AI, add a Webhook integration: paste the address as its URL and the secret as its Secret. It does not send again what failed.",
  reply: { body: { url: "$url" } },
  sample: {
    body: {
      id: "20931",
      title: "Why cats knead blankets",
      content: "<p>They did it as kittens, and it still calms them.</p>",
      thumbnail: "https://pictures.example/cat.jpg",
      thumbnail_alt_text: "A cat on a blanket",
      metadescription: "A habit from their first weeks.",
      keyword_seed: "cat kneading",
    },
  },
};
