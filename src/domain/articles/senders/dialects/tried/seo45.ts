import type { Dialect } from "../../dialect.ts";

export const seo45: Dialect = {
  kind: "seo45",
  name: "SEO45 AI",
  secretFrom: "rostrum",
  credentials: [
    { by: "hmac", header: "x-seo45-signature", prefix: "v1=", timestamp: { header: "x-seo45-timestamp", unit: "ms" } },
  ],
  event: {
    at: ["event", "header:x-seo45-event"],
    means: { "seo45.content.generated": "article", "seo45.ping": "test" },
  },
  isTried: true,
  setup:
    "In SEO45 AI, choose Universal as the platform (or open Site Settings › Configuration): paste the address as Webhook URL and the secret as Webhook Secret.",
  reply: { body: { success: true } },
  sample: {
    headers: {
      "x-seo45-event": "seo45.content.generated",
      "x-seo45-website-id": "5f0d7b0e-7a2c-4f86-9d1e-3a0f6d1d2c11",
    },
    body: {
      event: "seo45.content.generated",
      websiteId: "5f0d7b0e-7a2c-4f86-9d1e-3a0f6d1d2c11",
      domain: "blog.example",
      createdAt: "2026-03-05T00:00:00.000Z",
      post: {
        title: "How loud a quiet fridge is",
        html: "<article><h1>How loud a quiet fridge is</h1><p>About as loud as rain on grass.</p></article>",
        excerpt: "As loud as rain.",
        seoScore: 84,
        featuredImage: { url: "https://pictures.example/fridge.jpg", alt: "A fridge at night", caption: "Quiet" },
      },
      debug: {},
    },
  },
};
