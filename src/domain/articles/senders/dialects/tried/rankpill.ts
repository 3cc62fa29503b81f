import type { Dialect } from "../../dialect.ts";

export const rankpill: Dialect = {
  kind: "rankpill",
  name: "RankPill",
  secretFrom: "sender",
  credentials: [
    { by: "hmac", header: "X-RankPill-Signature" },
    { by: "hmac", header: "Authorization", prefix: "sha256=" },
    { by: "bearer" },
  ],
  id: ["slug"],
  isTried: true,
  setup:
    "In RankPill, open Settings › Integrations › Webhooks, paste the address as Webhook URL, choose Signature-based and Connect; then paste the Secret Key that it shows into Rostrum.",
  reply: { body: { message: "Webhook received successfully" } },
  testReply: { body: { message: "Test webhook received successfully" } },
  sample: {
    body: {
      title: "A bicycle bell that everybody hears",
      content_html: "<h1>A bicycle bell that everybody hears</h1><p>Brass is louder than steel.</p>",
      content_markdown: "# A bicycle bell that everybody hears\n\nBrass is louder than steel.",
      slug: "loud-bicycle-bell",
      meta_description: "Which bell is heard through a closed window.",
      status: "published",
      featured_image: "https://pictures.example/bell.jpg",
      published_url: "https://blog.example/loud-bicycle-bell",
      scheduled_date: null,
      published_at: "2026-04-10T06:30:00Z",
      is_republish: false,
      test: false,
    },
  },
};
