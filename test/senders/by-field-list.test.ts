/** The kinds of which only the names of fields are known read a body that is built of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DIALECTS, findDialect } from "../../src/domain/articles/senders/dialects.ts";
import type { Understood } from "../../src/domain/articles/senders/sender.ts";
import { readArrival } from "../../src/importers/senders/read-arrival.ts";

const HTML = "<p>Fold it once a day.</p>";
const MARKDOWN = "Fold it *once* a day.";
const IMAGE = "https://pictures.example/map.jpg";

function read(
  kind: string,
  body: unknown,
  request: { headers?: Record<string, string>; method?: string; path?: string } = {},
): Understood {
  const { headers = {}, method = "POST", path = "" } = request;
  const mapping = findDialect(kind) ?? assert.fail(kind);
  return readArrival({
    request: { method, path, query: {}, headers: { "content-type": "application/json", ...headers } },
    body: JSON.stringify(body),
    mapping,
    websiteUrl: null,
  });
}

interface Built {
  body: unknown;
  headers?: Record<string, string>;
  /** What its first article must become. */
  id: string;
  fields: string;
}

const VALUES: Record<string, unknown> = {
  slug: "maps",
  excerpt: "Maps last.",
  metaDescription: "How maps last.",
  metaTitle: "Maps 2026",
  featuredImageUrl: IMAGE,
  featuredImageAlt: "A map",
  targetKeyword: "map",
  tags: ["paper"],
  categories: ["Travel"],
  authors: [{ name: "Jo Fold", url: null }],
  status: "published",
};

const BODIES: Record<string, Built> = {
  autoseo: {
    id: "71:de",
    fields: "slug metaDescription featuredImageUrl featuredImageAlt language seoKeywords status",

    body: {
      event: "article.published",
      id: 71,
      title: "Maps",
      slug: "maps",
      metaDescription: "How maps last.",
      content_html: HTML,
      content_markdown: MARKDOWN,
      heroImageUrl: IMAGE,
      heroImageAlt: "A map",
      infographicImageUrl: null,
      keywords: ["map"],
      metaKeywords: null,
      faqSchema: null,
      languageCode: "de",
      status: "published",
      publishedAt: "2026-05-01T10:00:00Z",
    },
  },
  "babylovegrowth-wordpress": {
    id: "maps",
    fields: "slug metaDescription featuredImageUrl featuredImageAlt language seoKeywords",

    body: {
      title: "Maps",
      slug: "maps",
      metaDescription: "How maps last.",
      keywords: "map, paper",
      content_html: HTML,
      content_markdown: MARKDOWN,
      heroImageUrl: IMAGE,
      heroImageAlt: "A map",
      videoUrl: "",
      status: "draft",
      lang: "en",
    },
  },
  blogseo: {
    id: "b-1",
    fields: "slug metaDescription",
    body: {
      article: { id: "b-1", title: "Maps", slug: "maps", content: MARKDOWN, meta_description: "How maps last." },
    },
  },
  byword: {
    id: "by-1",
    fields: "slug metaDescription featuredImageUrl featuredImageAlt targetKeyword tags authors",

    headers: { "x-byword-event": "article.completed" },
    body: {
      data: {
        id: "by-1",
        title: "Maps",
        content: HTML,
        keyword: "map",
        meta_description: "How maps last.",
        slug: "maps",
        status: "completed",
        domain_id: "d",
        domain_name: "blog.example",
        hero_image_url: IMAGE,
        hero_image_alt: "A map",
        author: "Jo Fold",
        tags: ["paper"],
      },
    },
  },
  hovers: {
    id: "h-1",
    fields: "slug status",
    body: { event: "article.published", article: { id: "h-1", title: "Maps", slug: "maps", content: HTML } },
  },
  hubrank: {
    id: "345",
    fields: "metaDescription featuredImageUrl targetKeyword seoKeywords",
    body: [
      {
        id: 345,
        created_at: "2026-05-31 15:21:50.357459+00",
        html: HTML,
        markdown: MARKDOWN,
        title: "Maps",
        seed_keyword: "map",
        keywords: "map, paper",
        meta_description: "How maps last.",
        featured_image: IMAGE,
        schema_markups: [],
      },
    ],
  },
  jenna: {
    id: "cl1",
    fields: "slug featuredImageUrl seoKeywords",

    body: {
      metadata: { event_type: "BLOG_POST_GENERATED", timestamp: "2026-05-01T10:00:00Z", webhook_id: "w" },
      data: {
        blog_post: {
          id: "cl1",
          headline: "Maps",
          slug: "maps",
          targetedKeywords: ["map"],
          mainImageUrl: IMAGE,
          markdownContent: MARKDOWN,
          projectId: "p",
          projectName: "Blog",
          projectWebsiteUrl: "https://blog.example",
        },
      },
    },
  },
  "koala-wordpress": {
    id: "maps",
    fields: "slug excerpt tags categories status",

    body: {
      command: "publish_posts",
      data: {
        uuid: "•",
        posts: [
          {
            title: "Maps",
            slug: "maps",
            content: HTML,
            excerpt: "Maps last.",
            tags: ["paper"],
            categories: "Travel",
            state: "publish",
            date: "2026-05-01 10:00:00",
            author: 1,
            post_type: "post",
            featured_media: 12,
          },
          { title: "Tents", slug: "tents", content: HTML, tags: [], categories: [3], state: "draft" },
        ],
      },
    },
  },
  machined: {
    id: "1x3",
    fields: "slug metaDescription targetKeyword",

    body: {
      cluster_id: "1x2",
      cluster_topic: "Travel > Maps",
      cluster_audience: "Walkers",
      article_id: "1x3",
      article_slug: "maps",
      article_title: "Maps",
      article_description: "How maps last.",
      article_keyword: "map",
      article_content_markdown: MARKDOWN,
    },
  },
  "optimizely-cmp": {
    id: "o-1",
    fields: "featuredImageUrl featuredImageAlt status",

    body: {
      event_name: "asset_published",
      data: {
        assets: {
          articles: [
            {
              id: "o-1",
              title: "Maps",
              html_body: HTML,
              created_at: "2026-05-01T10:00:00Z",
              images: [
                {
                  source: IMAGE,
                  mime_type: "image/jpeg",
                  width: 10,
                  height: 10,
                  caption: "A map",
                  attribution_text: "",
                },
              ],
            },
          ],
          images: [],
        },
      },
    },
  },
  "outrank-wordpress": {
    id: "maps",
    fields: "slug metaDescription featuredImageUrl targetKeyword tags categories",

    body: {
      secret: "•",
      title: "Maps",
      slug: "maps",
      created_at: "2026-05-01",
      image_url: IMAGE,
      author: 1,
      category: "Travel",
      content: HTML,
      tags: ["paper"],
      meta_description: "How maps last.",
      focus_keyword: "map",
    },
  },
  outwrite: {
    id: "maps",
    fields: "slug metaDescription featuredImageUrl authors",
    body: {
      title: "Maps",
      slug: "maps",
      content: HTML,
      featured_image: IMAGE,
      author: "Jo Fold",
      publisher: "Blog",
      meta_description: "How maps last.",
    },
  },
  ranksector: {
    id: "maps",
    fields: "slug metaDescription metaTitle featuredImageUrl tags status",
    body: {
      event_type: "content_publish",
      title: "Maps",
      slug: "maps",
      status: "published",
      content_html: HTML,
      content_markdown: MARKDOWN,
      meta_title: "Maps 2026",
      meta_description: "How maps last.",
      created_at: "2026-05-01T10:00:00Z",
      featured_image: IMAGE,
      tags: ["paper"],
    },
  },
  seogrove: {
    id: "42",
    fields: "slug excerpt featuredImageUrl featuredImageAlt targetKeyword status",

    body: {
      event: "content.published",
      timestamp: "2026-05-01T10:00:00Z",
      site: { host: "blog.example", url: "https://blog.example" },
      content: {
        id: 42,
        title: "Maps",
        slug: "maps",
        html: `<h1>Maps</h1>${HTML}`,
        markdown: MARKDOWN,
        excerpt: "Maps last.",
        featured_image_url: IMAGE,
        featured_image_alt: "A map",
        content_type: "article",
        published_at: "2026-05-01T10:00:00Z",
        word_count: 5,
        primary_keyword: "map",
      },
    },
  },
  "seonix-wordpress": {
    id: "ce-1",
    fields:
      "slug excerpt metaDescription metaTitle featuredImageUrl featuredImageAlt targetKeyword tags categories status",

    body: {
      title: "Maps",
      content: HTML,
      status: "publish",
      excerpt: "Maps last.",
      slug: "maps",
      categories: ["Travel"],
      tags: ["paper"],
      focus_keyword: "map",
      meta_description: "How maps last.",
      seo_title: "Maps 2026",
      ce_article_id: "ce-1",
      schema_jsonld: {},
      featured_image_url: IMAGE,
      featured_image_alt: "A map",
    },
  },
  seonix: {
    id: "s-1",
    fields: "slug",
    body: { external_id: "s-1", title: "Maps", slug: "maps", content: HTML },
  },
  seorav: {
    id: "maps",
    fields: "slug status",
    body: { event: "post.publish", delivery: "d-1", post: { title: "Maps", slug: "maps", html: HTML } },
  },
  sorank: {
    id: "maps",
    fields: "slug metaDescription featuredImageUrl featuredImageAlt language targetKeyword status",

    body: {
      event: "article.published",
      timestamp: "2026-05-01T10:00:00Z",
      article: {
        title: "Maps",
        slug: "maps",
        content: HTML,
        meta_description: "How maps last.",
        focus_keyphrase: "map",
        keyword: "map",
        language: "fr-FR",
        word_count: 5,
        featured_image: { url: IMAGE, alt: "A map", placement: "top" },
        images: [],
      },
    },
  },
  soreno: {
    id: "so-1",
    fields: "slug metaDescription featuredImageUrl tags status",
    body: {
      event_type: "publish_articles",
      timestamp: "2026-05-01T10:00:00Z",
      data: {
        articles: [
          {
            id: "so-1",
            title: "Maps",
            content_markdown: MARKDOWN,
            content_html: HTML,
            meta_description: "How maps last.",
            image_url: IMAGE,
            slug: "maps",
            tags: ["paper"],
          },
        ],
      },
    },
  },
  soro: {
    id: "sa-1",
    fields: "slug excerpt metaDescription featuredImageUrl targetKeyword categories status",
    body: {
      title: "Maps",
      content: HTML,
      slug: "maps",
      status: "publish",
      excerpt: "Maps last.",
      category: "Travel",
      meta_description: "How maps last.",
      focus_keyword: "map",
      featured_image_url: IMAGE,
      soro_article_id: "sa-1",
    },
  },
  "stackserp-wordpress": {
    id: "maps",
    fields: "slug metaDescription metaTitle featuredImageUrl targetKeyword tags categories status",
    body: {
      title: "Maps",
      content: HTML,
      excerpt: "",
      slug: "maps",
      status: "publish",
      tags: ["paper"],
      category: "Travel",
      meta_title: "Maps 2026",
      meta_description: "How maps last.",
      focus_keyword: "map",
      featured_image_url: IMAGE,
      featured_image_data: "aGk=",
      featured_image_mime: "image/jpeg",
    },
  },
  "surfer-wordpress": {
    id: "8",
    fields: "slug metaDescription metaTitle seoKeywords tags categories",

    body: {
      content: HTML,
      post_id: null,
      tags_input: ["paper"],
      url: "maps",
      draft_id: 8,
      permalink_hash: "ph",
      keywords: ["map"],
      location: "Berlin",
      metadata: {
        postTitle: "Maps",
        postAuthor: { value: 1 },
        publicationDate: null,
        postCategory: ["Travel"],
        postTags: [],
        postStatus: { value: "draft" },
        postType: { value: "post" },
        postMetaTitle: "Maps 2026",
        postMetaDescription: "How maps last.",
      },
    },
  },
  trymarketr: {
    id: "t-1",
    fields: "excerpt status",
    body: {
      action: "publish",
      timestamp: "2026-05-01T10:00:00Z",
      article: { id: "t-1", title: "Maps", content: `<html><body>${HTML}</body></html>`, summary: "Maps last." },
    },
  },
  "writesonic-wordpress": {
    id: "maps",
    fields: "slug metaDescription tags categories",
    body: {
      title: "Maps",
      content: HTML,
      status: "draft",
      slug: "maps",
      categories: ["Travel"],
      tags: ["paper"],
      author: 1,
      post_type: "post",
      meta_description: "How maps last.",
      featured_image: 12,
    },
  },
};

test("each has the fields that its product sends", () => {
  const untried = DIALECTS.filter(({ isTried }) => !isTried).map(({ kind }) => kind);
  assert.deepEqual(Object.keys(BODIES).toSorted(), untried.toSorted());
  for (const [kind, { body, headers, id, fields }] of Object.entries(BODIES)) {
    const { kind: meaning, problem, articles } = read(kind, body, headers && { headers });
    assert.deepEqual(
      [meaning, problem, articles[0]?.problem, articles[0]?.externalId],
      ["article", null, null, id],
      kind,
    );
    const { title, content, markdown, ...input } = articles[0]?.input ?? {};
    assert.deepEqual([title, content ?? markdown], ["Maps", content === undefined ? MARKDOWN : HTML], kind);
    assert.deepEqual(Object.keys(input).toSorted(), fields.split(" ").toSorted(), kind);
    for (const [name, value] of Object.entries(input)) {
      if (Object.hasOwn(VALUES, name)) assert.deepEqual(value, VALUES[name], `${kind}: ${name}`);
    }
  }
  assert.equal(read("koala-wordpress", BODIES["koala-wordpress"]?.body).articles.length, 2);
});

test("other events mean what their products say", () => {
  const events: [kind: string, body: unknown, meaning: string, request?: Parameters<typeof read>[2]][] = [
    ["autoseo", { event: "test" }, "test"],
    [
      "byword",
      { data: { id: "c-1", name: "Spring" } },
      "other",
      { headers: { "x-byword-event": "campaign.completed" } },
    ],
    ["hovers", { event: "article.deleted", article: { id: "h-1" } }, "removal"],
    ["koala-wordpress", { command: "connect", data: { uuid: "•" } }, "test"],
    ["koala-wordpress", { command: "get_authors", data: { uuid: "•" } }, "other"],
    ["outrank-wordpress", { secret: "•" }, "test"],
    ["seogrove", { event: "ping" }, "test"],
    ["seogrove", { event: "tool.published", content: { id: 2, title: "Sum", html: HTML, tool: {} } }, "other"],
    ["seogrove", { event: "content.deleted", content: { id: 42 } }, "removal"],
    ["seonix", {}, "removal", { method: "DELETE", path: "/s-1" }],
    ["seorav", { event: "connect.test", nonce: "n" }, "test"],
    ["seorav", { event: "post.unpublish", post: { id: "p-1" } }, "removal"],
    ["sorank", { event: "webhook.test" }, "test"],
    ["trymarketr", { action: "unpublish", article: { id: "t-1" } }, "removal"],
  ];
  for (const [kind, body, meaning, request] of events) {
    const { kind: found, articles } = read(kind, body, request);
    assert.equal(found, meaning, `${kind}: ${JSON.stringify(body)}`);
    assert.equal(articles.length, meaning === "removal" ? 1 : 0, kind);
  }
});
