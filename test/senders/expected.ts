/** What each kind's sample becomes, and how it is answered. Ids are called ID. */
import type { Article } from "../../src/domain/articles/article.ts";
import type { Sample } from "../../src/domain/articles/senders/dialect.ts";

export interface Draft extends Omit<Article, "authors"> {
  externalId: string;
  html: string;
  authors: string[];
}

export interface Expected {
  /** These fields of each article. */
  articles: readonly Partial<Draft>[];
  reply: unknown;
  /** The answer to repeats, if it differs. */
  repeated?: unknown;
  /** Tests and other events. */
  others?: Readonly<Record<string, Sample>>;
  /** A request that asks to delete the article. */
  removal?: unknown;
}

const at = (slug: string) => `https://blog.example/${slug}`;

export const EXPECTED: Readonly<Record<string, Expected>> = {
  generic: {
    articles: [
      {
        externalId: "1001",
        title: "Why sourdough needs no yeast from a shop",
        slug: "sourdough-without-yeast",
        html: "<p>Flour brings its own.</p><h2>Feed it</h2><p>Once a day, with as much flour as water.</p>",
        metaDescription: "Flour and water are enough.",
        featuredImageUrl: "https://pictures.example/sourdough.jpg",
        tags: ["baking", "sourdough"],
      },
    ],
    ...genericReplies("sourdough-without-yeast"),
    others: { "a test": { body: { event: "test" } }, "another event": { body: { event: "credits.low", credits: 3 } } },
  },
  arvow: {
    articles: [
      {
        externalId: "58213",
        title: "Which wood burns longest in a stove",
        slug: "which-wood-burns-longest-in-a-stove",
        html: "<h2>Oak or beech</h2><p>Both burn for hours once they are dry.</p>",
        metaDescription: "Dry oak and beech compared.",
        featuredImageUrl: "https://pictures.example/stove.jpg",
        featuredImageAlt: "A stove with a glowing log",
        targetKeyword: "firewood",
        language: "en",
        tags: ["heating", "wood"],
      },
    ],
    reply: { url: at("which-wood-burns-longest-in-a-stove") },
  },
  babylovegrowth: {
    articles: [
      {
        externalId: "4102",
        title: "Repairing a zip with a pencil",
        slug: "repair-a-zip",
        html: "<p>Rub its teeth with <em>graphite</em>.</p>",
        metaDescription: "Graphite makes a stuck zip slide again.",
        featuredImageUrl: "https://pictures.example/zip.jpg",
        language: "en",
      },
    ],
    reply: { success: true },
  },
  blogaizer: {
    articles: [
      {
        externalId: "job_7f3a",
        title: "Letting a room breathe in ten minutes",
        slug: "letting-a-room-breathe-in-ten-minutes",
        html: "<article><p>Open two windows that face each other.</p></article>",
        metaTitle: "How to air a room",
        metaDescription: "Two open windows, ten minutes.",
        featuredImageUrl: "https://pictures.example/window.jpg",
        featuredImageAlt: "Two open windows",
      },
    ],
    reply: { success: true },
    others: {
      "another event": {
        headers: { "X-BlogAIzer-Event": "article.failed" },
        body: { job_id: "job_7f3a", status: "failed" },
      },
    },
  },
  blogamplify: {
    articles: [
      {
        externalId: "0b8e5a3c-1f7d-4b36-8f0e-2f2f6f0c9a55",
        title: "A herb garden on one square metre",
        slug: "herb-garden-on-one-square-metre",
        html: "<h2>What to plant</h2><p>Thyme, sage and chives share one box.</p>",
        metaDescription: "Thyme, sage and chives in one box.",
        featuredImageUrl: "https://pictures.example/herbs.webp",
        featuredImageAlt: "A box of herbs",
        targetKeyword: "herb garden",
        seoKeywords: ["thyme", "chives"],
      },
    ],
    reply: { success: true },
    others: {
      "a test": { body: { event: "post.test", data: { id: "1", title: "Test", content_html: "<p>Test</p>" } } },
    },
  },
  blogbotz: {
    articles: [
      {
        externalId: "771",
        title: "How many chairs a small kitchen needs",
        slug: "chairs-for-a-small-kitchen",
        html: "<p>One more than there are people.</p><h2>Folding ones</h2><p>They hang on the wall.</p>",
        authorExcerpt: "One more than people.",
        metaTitle: "Chairs for small kitchens",
        metaDescription: "How many, and which.",
        featuredImageUrl: "https://pictures.example/chairs.jpg",
        featuredImageAlt: "Two folding chairs",
        tags: ["kitchen", "furniture"],
      },
    ],
    reply: { post_id: "ID", post_url: at("chairs-for-a-small-kitchen") },
  },
  getmywebrank: {
    articles: [
      {
        externalId: "sepeda-lipat-untuk-kereta",
        title: "Sepeda lipat untuk kereta",
        slug: "sepeda-lipat-untuk-kereta",
        html: "<p>Roda kecil muat di bawah kursi.</p>",
        authorExcerpt: "Roda kecil muat di bawah kursi.",
        featuredImageUrl: "https://pictures.example/folding-bicycle.webp",
        targetKeyword: "sepeda lipat",
        seoKeywords: ["kereta", "komuter"],
      },
    ],
    reply: { success: true },
  },
  "journalist-ai": {
    articles: [
      {
        externalId: "20931",
        title: "Why cats knead blankets",
        slug: "why-cats-knead-blankets",
        html: "<p>They did it as kittens, and it still calms them.</p>",
        metaDescription: "A habit from their first weeks.",
        featuredImageUrl: "https://pictures.example/cat.jpg",
        featuredImageAlt: "A cat on a blanket",
        targetKeyword: "cat kneading",
      },
    ],
    reply: { url: at("why-cats-knead-blankets") },
  },
  letterdrop: {
    articles: [
      {
        externalId: "66b0f1d2c3a4958677e0aa10",
        title: "Notes from a year without meetings",
        slug: "year-without-meetings",
        html: "<p>We <strong>wrote</strong> instead.</p>",
        authorExcerpt: "What replaced them",
        metaTitle: "A year without meetings",
        metaDescription: "What replaced them.",
        featuredImageUrl: "https://pictures.example/desk.jpeg",
        tags: ["work", "writing"],
        canonicalUrl: null,
      },
    ],
    reply: { success: true },
    others: { "a new subscriber": { body: { email: "ada@blog.example", signedUpOn: "2026-01-08T10:00:00.000Z" } } },
    removal: { id: "66b0f1d2c3a4958677e0aa10", title: "Notes from a year without meetings", status: "deleted" },
  },
  lovarank: {
    articles: [
      {
        externalId: "three-knots",
        title: "Three knots for every day",
        slug: "three-knots",
        html: "<p>Bowline, clove hitch, sheet bend.</p>",
        metaDescription: "Bowline, clove hitch, sheet bend.",
        featuredImageUrl: "https://pictures.example/rope.jpg",
      },
    ],
    reply: { success: true, message: "Received for review." },
    others: { "a test": { body: { title: "Test", content_html: "<p>Test</p>", slug: "test", test: true } } },
  },
  "make-n8n": {
    articles: [
      {
        externalId: "cleaning-a-kettle-without-vinegar",
        title: "Cleaning a kettle without vinegar",
        slug: "cleaning-a-kettle-without-vinegar",
        html: "<h2>Citric acid</h2><p>One spoon for a litre, cold.</p>",
        authorExcerpt: "One spoon of citric acid.",
        categories: ["Household"],
        tags: ["kettle", "limescale"],
        featuredImageUrl: "https://pictures.example/kettle.jpg",
      },
    ],
    reply: {
      success: true,
      post: {
        id: "ID",
        slug: "cleaning-a-kettle-without-vinegar",
        title: "Cleaning a kettle without vinegar",
        url: at("cleaning-a-kettle-without-vinegar"),
      },
    },
    others: { "a test": { body: { mode: "test", post: { title: "Test", content: "<p>Test</p>" } } } },
  },
  neverdrafts: {
    articles: [
      {
        externalId: "7001",
        title: "Storing apples until spring",
        slug: "storing-apples",
        html: "<p>Cool, dark, and <strong>apart</strong> from potatoes.</p>",
        metaDescription: "Cool, dark, apart.",
        featuredImageUrl: "https://pictures.example/apples.jpg",
        tags: ["apples", "cellar"],
      },
      {
        externalId: "7002",
        title: "Storing pears",
        slug: "storing-pears",
        html: "<p>Not beside apples.</p>",
        featuredImageUrl: null,
      },
    ],
    reply: { ok: true },
    others: { "another event": { body: { event_type: "credits_low", data: {} } } },
  },
  outrank: {
    articles: [
      {
        externalId: "90417",
        title: "How to keep basil alive in winter",
        slug: "keep-basil-alive-in-winter",
        html: "<p>Basil dies of <strong>cold feet</strong> first.</p><h2>Light</h2><p>Give it a south window.</p>",
        metaDescription: "Warm roots, a south window, little water.",
        featuredImageUrl: "https://pictures.example/basil.jpg",
        tags: ["herbs", "winter"],
      },
    ],
    reply: { message: "Webhook processed successfully" },
    others: {
      "a test": { body: { event_type: "test" } },
      "another event": { body: { event_type: "campaign_completed" } },
    },
  },
  rankpill: {
    articles: [
      {
        externalId: "loud-bicycle-bell",
        title: "A bicycle bell that everybody hears",
        slug: "loud-bicycle-bell",
        html: "<p>Brass is louder than steel.</p>",
        metaDescription: "Which bell is heard through a closed window.",
        featuredImageUrl: "https://pictures.example/bell.jpg",
        publishedAt: null,
      },
    ],
    reply: { message: "Webhook received successfully" },
    others: { "a test": { body: { title: "Test", content_html: "<p>Test</p>", slug: "test", test: true } } },
  },
  rankyak: {
    articles: [
      {
        externalId: "9107",
        title: "Choosing a first tent",
        slug: "first-tent",
        html: "<p>Start with the weather.</p><h2>Weight</h2><p>Three kilos for two people.</p>",
        authorExcerpt: "Start with the weather.",
        metaTitle: "Choosing a first tent (2026)",
        metaDescription: "Weather, weight and height.",
        featuredImageUrl: "https://pictures.example/tent.png",
        publishAt: null,
      },
    ],
    reply: { ok: true, id: "ID", url: at("first-tent") },
  },
  seo45: {
    articles: [
      {
        externalId: "how-loud-a-quiet-fridge-is",
        title: "How loud a quiet fridge is",
        slug: "how-loud-a-quiet-fridge-is",
        html: "<article><p>About as loud as rain on grass.</p></article>",
        authorExcerpt: "As loud as rain.",
        featuredImageUrl: "https://pictures.example/fridge.jpg",
        featuredImageAlt: "A fridge at night",
      },
    ],
    reply: { success: true },
    others: { "a ping": { headers: { "x-seo45-event": "seo45.ping" }, body: { event: "seo45.ping", websiteId: "1" } } },
  },
  seocraftai: {
    articles: [
      {
        externalId: "b7a1e6a2-96d1-4f7c-8e58-0d7b1a4c2e90",
        title: "Reading a map without north",
        slug: "map-without-north",
        html: "<p>Turn the map.</p>",
        authorExcerpt: "Turn the map, not your head.",
        metaTitle: "Maps without north",
        metaDescription: "Turn the map.",
        seoKeywords: ["map reading"],
        featuredImageUrl: "https://pictures.example/map.jpg",
        featuredImageAlt: "A map on a knee",
      },
    ],
    reply: { success: true },
    others: { "a test": { body: { event: "test", article: { id: "1", title: "Test", content_markdown: "Test" } } } },
  },
  seoladders: {
    articles: [
      {
        externalId: "c0a1d6e4-2f0f-4a8e-9c06-7d8f3e5b1a22",
        title: "Painting a door without taking it off",
        slug: "paint-a-door",
        html: "<p>Wedge it first.</p>\n",
        metaTitle: "Paint a door in place",
        metaDescription: "Wedge it, mask it, paint it.",
        targetKeyword: "paint a door",
        featuredImageUrl: "https://pictures.example/door.jpg",
        featuredImageAlt: "A blue door",
      },
    ],
    reply: { message: "Received for review." },
  },
  soogle: {
    articles: [
      {
        externalId: "mushrooms-on-coffee-grounds",
        title: "Growing mushrooms on coffee grounds",
        slug: "mushrooms-on-coffee-grounds",
        html: "<p>Fresh grounds are already <em>sterile</em>.</p>",
        authorExcerpt: "Fresh grounds are sterile.",
        metaTitle: "Mushrooms on coffee grounds",
        metaDescription: "A bag, some spawn, three weeks.",
        featuredImageUrl: "https://pictures.example/mushrooms.jpg",
        categories: ["Kitchen"],
        tags: ["mushrooms", "coffee"],
        authors: ["Ines Example"],
      },
    ],
    reply: { success: true, message: "Received for review.", id: "ID", url: at("mushrooms-on-coffee-grounds") },
    others: { "a test": { body: { test: true, title: "Test", content: "<p>Test</p>", excerpt: "Test" } } },
  },
  stackserp: {
    articles: [
      {
        externalId: "4b1c7d52-6a5e-4a8e-b0c1-9e6f2d3a7b18",
        title: "Sharpening a knife on a mug",
        slug: "sharpen-a-knife-on-a-mug",
        html: "<p>The <strong>unglazed ring</strong> under a mug is a stone.</p>",
        authorExcerpt: "The ring under a mug is a stone.",
        metaTitle: "Sharpen a knife on a mug",
        metaDescription: "The unglazed ring is a stone.",
        targetKeyword: "sharpen a knife",
        featuredImageUrl: "https://pictures.example/knife.jpg",
        categories: ["Tools"],
        tags: ["kitchen"],
      },
    ],
    reply: { success: true },
    others: {
      "a test": {
        body: {
          event: "post.published",
          post: { id: "test-1772000000000", title: "A test", slug: "test-post", content: "# Test" },
        },
      },
    },
  },
  storychief: {
    articles: [
      {
        externalId: "880214",
        title: "Café tables / outdoors",
        slug: "cafe-tables-outdoors",
        html: "<p>Steel legs, <em>not</em> aluminium.</p>",
        authorExcerpt: "Steel legs last.",
        metaTitle: "Café tables for outdoors",
        metaDescription: "Steel legs last longest.",
        language: "en",
        featuredImageUrl: "https://pictures.example/table.png",
        featuredImageAlt: "A table",
        tags: ["Furniture"],
      },
    ],
    reply: { id: "880214", permalink: at("cafe-tables-outdoors"), status: "draft" },
    others: { "a test": { body: { data: {}, meta: { event: "test" } } } },
    removal: { data: { external_id: "880214" }, meta: { event: "delete" } },
  },
};

function genericReplies(slug: string): Pick<Expected, "reply" | "repeated"> {
  const [url, message] = [at(slug), "Received for review."];
  const reply = { success: true, message, id: "ID", post_id: "ID", url, post_url: url, link: url, duplicate: false };
  return { reply, repeated: { ...reply, duplicate: true } };
}
