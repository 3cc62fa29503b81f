import type { Dialect } from "../../dialect.ts";

export const lovarank: Dialect = {
  kind: "lovarank",
  name: "Lovarank",
  secretFrom: "rostrum",
  // How it sends its Secret Key is not documented: an address with the secret holds in any case.
  credentials: [
    { by: "path" },
    { by: "bearer" },
    { by: "bearer", scheme: null },
    { by: "header", name: "X-Webhook-Secret" },
  ],
  id: ["slug"],
  isTried: true,
  setup:
    "In Lovarank, open Integrations › Create Integration › Webhooks and paste the address, a slash and the secret as Webhook URL.",
  reply: { body: { success: true, message: "$message" } },
  sample: {
    body: {
      title: "Three knots for every day",
      content_html: "<h1>Three knots for every day</h1><p>Bowline, clove hitch, sheet bend.</p>",
      content_markdown: "# Three knots for every day\n\nBowline, clove hitch, sheet bend.",
      slug: "three-knots",
      meta_description: "Bowline, clove hitch, sheet bend.",
      status: "published",
      featured_image: "https://pictures.example/rope.jpg",
      published_url: null,
      scheduled_date: null,
      published_at: "2026-05-04T12:00:00Z",
      is_republish: false,
      test: false,
    },
  },
};
