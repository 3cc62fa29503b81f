import type { Dialect } from "../../dialect.ts";

export const stackserp: Dialect = {
  kind: "stackserp",
  name: "StackSerp",
  secretFrom: "rostrum",
  credentials: [{ by: "hmac", header: "X-StackSerp-Signature", prefix: "sha256=" }],
  event: { at: ["event"], means: { "post.published": "article" } },
  // Its test is a publication like any other but for its id.
  test: ["id^=test-"],
  text: "markdown",
  isTried: true,
  setup:
    "In StackSerp, open the website's Settings › Integrations › Ghost / Webhook: paste the address as the webhook's URL and the secret as its secret.",
  reply: { body: { success: true } },
  sample: {
    headers: { "X-StackSerp-Event": "post.published", "X-StackSerp-Post-Id": "4b1c" },
    body: {
      event: "post.published",
      timestamp: "2026-03-11T06:00:00.000Z",
      post: {
        id: "4b1c7d52-6a5e-4a8e-b0c1-9e6f2d3a7b18",
        title: "Sharpening a knife on a mug",
        slug: "sharpen-a-knife-on-a-mug",
        content: "The **unglazed ring** under a mug is a stone.",
        contentHtml: "<p>The <strong>unglazed ring</strong> under a mug is a stone.</p>",
        excerpt: "The ring under a mug is a stone.",
        metaTitle: "Sharpen a knife on a mug",
        metaDescription: "The unglazed ring is a stone.",
        focusKeyword: "sharpen a knife",
        featuredImage: "https://pictures.example/knife.jpg",
        tags: ["kitchen"],
        category: "Tools",
        status: "PUBLISHED",
        publishedAt: "2026-03-11T06:00:00.000Z",
      },
    },
  },
};
