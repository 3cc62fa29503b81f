import type { Dialect } from "../../dialect.ts";

export const outrank: Dialect = {
  kind: "outrank",
  name: "Outrank",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }],
  event: { at: ["event_type"], means: { publish_articles: "article", update_article: "article", test: "test" } },
  isTried: true,
  setup:
    "In Outrank, open Settings › Integrations & Publishing › Webhooks: paste the address as the webhook endpoint and the secret as the access token.",
  reply: { body: { message: "Webhook processed successfully" } },
  sample: {
    body: {
      event_type: "publish_articles",
      timestamp: "2026-03-02T08:00:00Z",
      data: {
        articles: [
          {
            id: "90417",
            title: "How to keep basil alive in winter",
            content_markdown: "Basil dies of **cold feet** first.\n\n## Light\n\nGive it a south window.",
            content_html:
              "<p>Basil dies of <strong>cold feet</strong> first.</p><h2>Light</h2><p>Give it a south window.</p>",
            meta_description: "Warm roots, a south window, little water.",
            created_at: "2026-03-01T17:45:00Z",
            image_url: "https://pictures.example/basil.jpg",
            slug: "keep-basil-alive-in-winter",
            tags: ["herbs", "winter"],
          },
        ],
      },
    },
  },
};
