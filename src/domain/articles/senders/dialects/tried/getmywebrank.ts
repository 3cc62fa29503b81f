import type { Dialect } from "../../dialect.ts";

export const getMyWebRank: Dialect = {
  kind: "getmywebrank",
  name: "GetMyWebRank",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }],
  id: ["slug"],
  isTried: true,
  setup: "In GetMyWebRank, add a Webhook integration: the address as its URL, the secret as its token.",
  reply: { body: { success: true } },
  sample: {
    body: {
      title: "Sepeda lipat untuk kereta",
      slug: "sepeda-lipat-untuk-kereta",
      content_md: "# Sepeda lipat untuk kereta\n\nRoda kecil muat di bawah kursi.",
      content_html: "<h1>Sepeda lipat untuk kereta</h1><p>Roda kecil muat di bawah kursi.</p>",
      excerpt: "Roda kecil muat di bawah kursi.",
      cover_image_url: "https://pictures.example/folding-bicycle.webp",
      primary_keyword: "sepeda lipat",
      secondary_keywords: ["kereta", "komuter"],
      llm_faq: [{ question: "Apakah boleh dibawa naik?", answer: "Boleh." }],
      schema_article_jsonld: '{"@type": }',
    },
  },
};
