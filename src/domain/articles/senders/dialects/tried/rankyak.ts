import type { Dialect } from "../../dialect.ts";

export const rankyak: Dialect = {
  kind: "rankyak",
  name: "RankYak",
  secretFrom: "rostrum",
  credentials: [{ by: "path" }],
  isTried: true,
  setup:
    "In RankYak, add a Webhook integration and paste the address, a slash and the secret as its URL: it sends no other credential.",
  reply: { body: { ok: true, id: "$id", url: "$url" } },
  sample: {
    body: {
      id: "9107",
      slug: "first-tent",
      excerpt: "Start with the weather.",
      title: "Choosing a first tent",
      meta_title: "Choosing a first tent (2026)",
      meta_description: "Weather, weight and height.",
      html: "<h1>Choosing a first tent</h1><p>Start with the weather.</p><h2>Weight</h2><p>Three kilos for two people.</p>",
      markdown: "# Choosing a first tent\n\nStart with the weather.",
      header_image_url: "https://pictures.example/tent.png",
      publish_at: "2026-06-01T07:00:00Z",
      published_at: null,
    },
  },
};
