import type { Dialect } from "../../dialect.ts";

export const letterdrop: Dialect = {
  kind: "letterdrop",
  name: "Letterdrop",
  secretFrom: "sender",
  credentials: [{ by: "header", name: "api-key" }],
  event: { at: ["status"], means: { published: "article", updated: "article", deleted: "removal" } },
  // Subscribers come to the same address.
  test: ["title!"],
  fields: { html: ["body", "htmlBody"] },
  id: ["id", "url"],
  isTried: true,
  setup:
    "In Letterdrop, open Settings, add the address as the webhook for posts, and paste the API key shown there into Rostrum.",
  reply: { body: { success: true } },
  sample: {
    body: {
      id: "66b0f1d2c3a4958677e0aa10",
      title: "Notes from a year without meetings",
      subtitle: "What replaced them",
      text: "We wrote instead.",
      textPreview: "We wrote instead.",
      body: "<p>We <strong>wrote</strong> instead.</p>",
      slug: "year-without-meetings",
      url: "https://letters.example/blog/year-without-meetings",
      publishedOn: "2026-01-08T10:00:00.000Z",
      coverImage: "https://pictures.example/desk.jpeg",
      metaTitle: "A year without meetings",
      metaDescription: "What replaced them.",
      status: "published",
      tags: ["work", "writing"],
      markdown: "We **wrote** instead.",
      customFields: [{ name: "Audience", type: "Text", value: "" }],
    },
  },
};
