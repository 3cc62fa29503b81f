import type { Dialect } from "../../dialect.ts";

export const seoladders: Dialect = {
  kind: "seoladders",
  name: "SEO Ladders",
  secretFrom: "sender",
  credentials: [{ by: "header", name: "X-Webhook-Secret" }],
  isTried: true,
  setup:
    "In SEO Ladders, open Settings › CMS Integration › Webhook: paste the address as Webhook URL, and paste the Secret token shown there into Rostrum.",
  reply: { body: { message: "$message" } },
  sample: {
    body: {
      id: "c0a1d6e4-2f0f-4a8e-9c06-7d8f3e5b1a22",
      title: "Painting a door without taking it off",
      meta_title: "Paint a door in place",
      slug: "paint-a-door",
      meta_description: "Wedge it, mask it, paint it.",
      content_markdown: "# Painting a door without taking it off\n\nWedge it first.",
      keyword: "paint a door",
      article_type: "Guide: How-to",
      word_count: 10,
      reading_time: 1,
      featured_image: { url: "https://pictures.example/door.jpg", alt: "A blue door" },
      faq: [{ question: "How many coats?", answer: "Two." }],
      json_ld: { "@context": "https://schema.org", "@type": "Article", headline: "Painting a door" },
      created_at: "2026-02-18T12:00:00.000Z",
      generated_at: "2026-02-18T12:04:00.000Z",
    },
  },
};
