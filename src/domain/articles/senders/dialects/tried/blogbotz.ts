import type { Dialect } from "../../dialect.ts";

export const blogbotz: Dialect = {
  kind: "blogbotz",
  name: "BlogBotz",
  secretFrom: "sender",
  credentials: [{ by: "hmac", header: "X-BlogBotz-Signature", prefix: "sha256=" }],
  event: { at: ["header:X-BlogBotz-Event"], means: { "blog.published": "article" } },
  text: "html",
  id: ["blogbotz_id", "blog_id"],
  isTried: true,
  setup:
    "In BlogBotz, open Sites › Add Site › Custom API and paste the address as webhook URL; then paste the webhook secret that it makes into Rostrum.",
  reply: { body: { post_id: "$id", post_url: "$url" } },
  sample: {
    headers: { "X-BlogBotz-Event": "blog.published", "X-BlogBotz-Timestamp": "2026-01-22T14:05:00+00:00" },
    body: {
      title: "How many chairs a small kitchen needs",
      content: "<p>One more than there are people.</p><h2>Folding ones</h2><p>They hang on the wall.</p>",
      excerpt: "One more than people.",
      slug: "chairs-for-a-small-kitchen",
      status: "publish",
      featured_image: "https://pictures.example/chairs.jpg",
      featured_image_alt: "Two folding chairs",
      tags: ["kitchen", "furniture"],
      meta_title: "Chairs for small kitchens",
      meta_description: "How many, and which.",
      blog_id: 771,
      blogbotz_id: 771,
    },
  },
};
