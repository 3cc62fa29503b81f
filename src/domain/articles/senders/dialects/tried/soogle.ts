import type { Dialect } from "../../dialect.ts";

export const soogle: Dialect = {
  kind: "soogle",
  name: "Soogle",
  secretFrom: "sender",
  credentials: [{ by: "bearer" }],
  text: "html",
  id: ["slug"],
  isTried: true,
  setup:
    "In Soogle, open Integrations › Custom API: paste the address as Webhook URL and choose Generate; paste the Secret Key into Rostrum before you choose Test, then Save & Activate.",
  // Without `success: true` it counts the article as failed.
  reply: { body: { success: true, message: "$message", id: "$id", url: "$url" } },
  sample: {
    body: {
      title: "Growing mushrooms on coffee grounds",
      content: "<p>Fresh grounds are already <em>sterile</em>.</p>",
      excerpt: "Fresh grounds are sterile.",
      featuredImage: "https://pictures.example/mushrooms.jpg",
      category: "Kitchen",
      tags: ["mushrooms", "coffee"],
      author: { name: "Ines Example", email: "ines@blog.example" },
      publishedAt: "2026-01-19T08:30:00Z",
      metaTitle: "Mushrooms on coffee grounds",
      metaDescription: "A bag, some spawn, three weeks.",
      slug: "mushrooms-on-coffee-grounds",
      test: false,
    },
  },
};
