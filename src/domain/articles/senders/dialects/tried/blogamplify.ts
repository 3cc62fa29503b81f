import type { Dialect } from "../../dialect.ts";

export const blogamplify: Dialect = {
  kind: "blogamplify",
  name: "BlogAmplify",
  secretFrom: "sender",
  credentials: [
    { by: "hmac", header: "X-Webhook-Signature" },
    { by: "hmac", header: "X-Webhook-Signature", prefix: "sha256=" },
  ],
  event: { at: ["event"], means: { "post.published": "article", "post.test": "test" } },
  isTried: true,
  setup: "In BlogAmplify, add a custom webhook with the address as its URL and paste its signing secret into Rostrum.",
  reply: { body: { success: true } },
  sample: {
    body: {
      event: "post.published",
      timestamp: "2026-03-20T07:15:00.000Z",
      data: {
        id: "0b8e5a3c-1f7d-4b36-8f0e-2f2f6f0c9a55",
        title: "A herb garden on one square metre",
        slug: "herb-garden-on-one-square-metre",
        content_html: "<h2>What to plant</h2><p>Thyme, sage and chives share one box.</p>",
        content_markdown: null,
        meta_description: "Thyme, sage and chives in one box.",
        featured_image: { url: "https://pictures.example/herbs.webp", alt_text: "A box of herbs" },
        schema_markup: { "@context": "https://schema.org", "@type": "BlogPosting" },
        primary_keyword: "herb garden",
        secondary_keywords: ["thyme", "chives"],
        word_count: 8,
      },
    },
  },
};
