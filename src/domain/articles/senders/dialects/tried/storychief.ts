import type { Dialect } from "../../dialect.ts";

export const storychief: Dialect = {
  kind: "storychief",
  name: "StoryChief",
  secretFrom: "sender",
  credentials: [{ by: "signed-field", at: "meta.mac" }],
  event: { at: ["meta.event"], means: { publish: "article", update: "article", delete: "removal", test: "test" } },
  fields: {
    image: ["featured_image.data.sizes.full", "featured_image.url"],
    image_alt: ["featured_image.data.alt", "featured_image.alt"],
    status: ["meta.status"],
  },
  // It sends back as `external_id` what it was answered as `id`.
  id: ["external_id", "storychief_id"],
  text: "html",
  isTried: true,
  setup:
    "In StoryChief, add a webhook channel with the address as its endpoint, and paste the key of the channel's configuration into Rostrum.",
  reply: { body: { id: "$external_id", permalink: "$url", status: "draft" }, signedIn: "mac" },
  testReply: { body: { meta: { plugin_version: "1.0.0" } }, signedIn: "mac" },
  sample: {
    body: {
      data: {
        storychief_id: 880214,
        title: "Café tables / outdoors",
        content: "<p>Steel legs, <em>not</em> aluminium.</p>",
        excerpt: "Steel legs last.",
        seo_slug: "cafe-tables-outdoors",
        seo_title: "Café tables for outdoors",
        seo_description: "Steel legs last longest.",
        tags: { data: [{ storychief_id: 42, name: "Furniture", slug: "furniture" }] },
        featured_image: { url: "https://pictures.example/table.png", name: "table.png", alt: "A table" },
        language: "en",
      },
      meta: { event: "publish", status: "published" },
    },
  },
};
