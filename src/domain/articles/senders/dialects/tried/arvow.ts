import type { Dialect } from "../../dialect.ts";

export const arvow: Dialect = {
  kind: "arvow",
  name: "Arvow",
  secretFrom: "rostrum",
  credentials: [{ by: "header", name: "X-SECRET" }],
  isTried: true,
  setup: "In Arvow, add a Webhook integration: paste the address as its URL and the secret as its Secret.",
  reply: { body: { url: "$url" } },
  sample: {
    body: {
      id: "58213",
      title: "Which wood burns longest in a stove",
      content: "<h2>Oak or beech</h2><p>Both burn for hours once they are dry.</p>",
      content_markdown: "## Oak or beech\n\nBoth burn for hours once they are dry.",
      tags: ["heating", "wood"],
      thumbnail: "https://pictures.example/stove.jpg",
      thumbnail_alt_text: "A stove with a glowing log",
      metadescription: "Dry oak and beech compared.",
      keyword_seed: "firewood",
      language_code: "en",
      campaign_id: "7c1f0f0e-5d0a-4c7e-9a53-0c3b3a7b7d11",
      campaign_name: "Autumn",
      batch_id: "7c1f0f0e-5d0a-4c7e-9a53-0c3b3a7b7d11",
    },
  },
};
