import type { Dialect } from "../../dialect.ts";

export const blogaizer: Dialect = {
  kind: "blogaizer",
  name: "blogAIzer",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }, { by: "bearer", scheme: null }],
  event: { at: ["header:X-BlogAIzer-Event"], means: { "article.complete": "article" } },
  fields: { image: ["featured_image.url"], image_alt: ["featured_image.alt_text"] },
  id: ["job_id"],
  isTried: true,
  setup:
    "In blogAIzer, add a publish target of type webhook: the address as its url, and Bearer with the secret after it as its auth_token.",
  reply: { body: { success: true } },
  sample: {
    headers: { "X-BlogAIzer-Event": "article.complete", "X-BlogAIzer-Job-Id": "job_7f3a" },
    body: {
      job_id: "job_7f3a",
      status: "complete",
      article: {
        title: "Letting a room breathe in ten minutes",
        html: "<article><h1>Letting a room breathe in ten minutes</h1><p>Open two windows that face each other.</p></article>",
        meta_title: "How to air a room",
        meta_description: "Two open windows, ten minutes.",
        eeat_score: 51,
        word_count: 9,
      },
      featured_image: { url: "https://pictures.example/window.jpg", alt_text: "Two open windows" },
      credits_used: 1,
    },
  },
};
