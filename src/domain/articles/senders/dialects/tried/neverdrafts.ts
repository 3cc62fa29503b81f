import type { Dialect } from "../../dialect.ts";

export const neverdrafts: Dialect = {
  kind: "neverdrafts",
  name: "NeverDrafts",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }],
  event: { at: ["event_type"], means: { publish_articles: "article", update_article: "article", test: "test" } },
  isTried: true,
  setup:
    "In NeverDrafts, open Integrations › Webhook: paste the address as the endpoint and the secret as the access token.",
  reply: { body: { ok: true } },
  sample: {
    body: {
      event_type: "publish_articles",
      timestamp: "2026-04-14T08:00:00Z",
      data: {
        articles: [
          {
            id: "7001",
            title: "Storing apples until spring",
            content_markdown: "Cool, dark, and **apart** from potatoes.",
            content_html: "<p>Cool, dark, and <strong>apart</strong> from potatoes.</p>",
            meta_description: "Cool, dark, apart.",
            created_at: "2026-04-13T15:30:00Z",
            image_url: "https://pictures.example/apples.jpg",
            slug: "storing-apples",
            tags: ["apples", "cellar"],
          },
          {
            id: "7002",
            title: "Storing pears",
            content_html: "<p>Not beside apples.</p>",
            image_url: "",
            slug: "storing-pears",
          },
        ],
      },
    },
  },
};
