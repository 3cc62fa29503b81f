import type { Dialect } from "../../dialect.ts";

export const babylovegrowth: Dialect = {
  kind: "babylovegrowth",
  name: "BabyLoveGrowth",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }],
  isTried: true,
  setup:
    "In BabyLoveGrowth, open Settings › Integrations › Developer › Webhook and choose Connect: paste the address as the webhook URL and the secret as the Bearer token.",
  reply: { body: { success: true } },
  sample: {
    body: {
      id: 4102,
      title: "Repairing a zip with a pencil",
      slug: "repair-a-zip",
      metaDescription: "Graphite makes a stuck zip slide again.",
      content_html:
        '<h1>Repairing a zip with a pencil</h1><img src="https://pictures.example/zip.jpg" alt=""><p>Rub its teeth with <em>graphite</em>.</p>',
      heroImageUrl: "https://pictures.example/zip.jpg",
      content_markdown: "# Repairing a zip with a pencil\n\nRub its teeth with *graphite*.",
      jsonLd: { "@context": "https://schema.org", "@type": "Article" },
      languageCode: "en",
      publicUrl: "https://blog.example/repair-a-zip",
      createdAt: "2026-02-11T09:20:31.120Z",
    },
  },
};
