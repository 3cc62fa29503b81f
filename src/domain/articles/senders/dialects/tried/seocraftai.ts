import type { Dialect } from "../../dialect.ts";

export const seocraftai: Dialect = {
  kind: "seocraftai",
  name: "SEOcraftAI",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }, { by: "header", name: "X-API-Key" }],
  event: { at: ["event"], means: { publish: "article", test: "test" } },
  fields: { image_alt: ["main_image.alt"] },
  isTried: true,
  setup:
    "In SEOcraftAI, open Integrations › Custom Webhook: paste the address as endpoint URL, choose Bearer Token as Auth Type and paste the secret.",
  reply: { body: { success: true } },
  sample: {
    body: {
      event: "publish",
      timestamp: "2026-02-02T00:00:00.000Z",
      article: {
        id: "b7a1e6a2-96d1-4f7c-8e58-0d7b1a4c2e90",
        title: "Reading a map without north",
        slug: "map-without-north",
        excerpt: "Turn the map, not your head.",
        content_markdown: "# Reading a map without north\n\nTurn the map.",
        content_html: "<h1>Reading a map without north</h1><p>Turn the map.</p>",
        format: "markdown",
        images: ["https://pictures.example/map.jpg"],
        seo: { meta_title: "Maps without north", meta_description: "Turn the map.", keywords: ["map reading"] },
        published_at: "2026-02-02T00:00:00.000Z",
        main_image_url: "https://pictures.example/map.jpg",
      },
      main_image: { url: "https://pictures.example/map.jpg", alt: "A map on a knee" },
      website: { id: "2d3e", baseUrl: "https://blog.example" },
    },
  },
};
