/** Senders of which only the names of fields are known. */
import type { Credential, Dialect } from "../dialect.ts";

/** Byword does not say in which unit its times are. */
const bywordSignature = (unit: "s" | "ms" | "iso"): Credential => ({
  by: "hmac",
  header: "X-Byword-Signature",
  prefix: "sha256=",
  timestamp: { header: "X-Byword-Timestamp", unit },
});

const SENDERS: readonly Omit<Dialect, "isTried">[] = [
  {
    kind: "autoseo",
    name: "AutoSEO",
    secretFrom: "sender",
    credentials: [{ by: "bearer" }, { by: "hmac", header: "X-AutoSEO-Signature" }],
    event: { at: ["event", "header:X-AutoSEO-Event"], means: { "article.published": "article", test: "test" } },
    id: ["id+languageCode"],
    setup:
      "In AutoSEO, add a webhook with the address as its URL, and paste the token that it shows, which begins with aseo_wh_, into Rostrum.",
    reply: { body: { url: "$url" } },
  },
  {
    kind: "babylovegrowth-wordpress",
    name: "BabyLoveGrowth (as a WordPress site)",
    secretFrom: "rostrum",
    credentials: [{ by: "header", name: "X-API-Key" }, { by: "bearer" }],
    id: ["slug"],
    setup:
      "In BabyLoveGrowth, connect a WordPress site: the address as the address of the site, and the secret as its key. Its webhook is a kind of its own, and the better choice.",
    reply: { body: { success: true, post_id: "$id", link: "$url" } },
    testReply: { body: { ok: true } },
  },
  {
    kind: "blogseo",
    name: "BlogSEO",
    secretFrom: "sender",
    credentials: [{ by: "header", name: "X-Webhook-Secret" }],
    articles: ["article"],
    setup:
      "In BlogSEO, add a webhook with the address as its URL, in Markdown or HTML, and paste the secret that it makes into Rostrum.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "byword",
    name: "Byword",
    secretFrom: "sender",
    credentials: [bywordSignature("s"), bywordSignature("ms"), bywordSignature("iso")],
    event: {
      at: ["header:X-Byword-Event"],
      means: { "article.completed": "article", "article.published": "article" },
    },
    text: "html",
    id: ["id"],
    setup: "In Byword, add a webhook with the address as its URL, and paste its signing secret into Rostrum.",
    reply: { body: { success: true, message: "$message", articleId: "$id" } },
  },
  {
    kind: "hovers",
    name: "Hovers",
    secretFrom: "rostrum",
    credentials: [{ by: "bearer" }, { by: "basic" }],
    event: {
      at: ["event", "event_type", "type"],
      means: { "article.published": "article", "article.updated": "article", "article.deleted": "removal" },
    },
    setup:
      "In Hovers, add a webhook with the address as its URL, choose Bearer as its authentication, and paste the secret as its token.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "hubrank",
    name: "Hubrank",
    secretFrom: "rostrum",
    credentials: [{ by: "path" }],
    id: ["id"],
    setup:
      "In Hubrank, choose the connection to Zapier, and paste the address, a slash and the secret where it asks for Zapier's catch hook.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "jenna",
    name: "Jenna.so",
    secretFrom: "rostrum",
    credentials: [{ by: "path" }],
    event: { at: ["metadata.event_type"], means: { BLOG_POST_GENERATED: "article" } },
    articles: ["data.blog_post"],
    id: ["id"],
    setup:
      "In Jenna.so, add a webhook and paste the address, a slash and the secret as its URL; its own signing secret may be anything.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "koala-wordpress",
    name: "Koala (as a WordPress site)",
    secretFrom: "rostrum",
    credentials: [{ by: "field", at: "data.uuid" }],
    event: {
      at: ["command"],
      means: { publish_posts: "article", connect: "test", check_connection_status: "test" },
    },
    articles: ["data.posts[]"],
    fields: { status: ["state"], published_at: ["date"] },
    id: ["slug"],
    text: "html",
    setup:
      "In Koala, connect a WordPress site: the address as the address of the site, and the secret as its secret token. Pictures that it uploads by themselves are not taken.",
    reply: { body: { success: true, data: { message: "$message", posts_permalinks: {} } } },
  },
  {
    kind: "machined",
    name: "Machined",
    secretFrom: "rostrum",
    credentials: [{ by: "path" }],
    articles: [""],
    fields: { markdown: ["article_content_markdown"], meta_description: ["article_description"] },
    id: ["article_id"],
    setup:
      "In Machined, add a webhook, as for Zapier, Make or n8n, and paste the address, a slash and the secret as its URL.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "optimizely-cmp",
    name: "Optimizely CMP",
    secretFrom: "rostrum",
    credentials: [{ by: "path" }],
    event: { at: ["event_name"], means: { asset_published: "article" } },
    articles: ["data.assets.articles[]"],
    fields: { image: ["images[0].source"], image_alt: ["images[0].caption"] },
    id: ["id"],
    setup:
      "In Optimizely CMP, add a webhook for published assets, and paste the address, a slash and the secret as its URL.",
    reply: { body: { success: true, message: "$message" } },
  },
  {
    kind: "outrank-wordpress",
    name: "Outrank (as a WordPress site)",
    secretFrom: "rostrum",
    credentials: [{ by: "field", at: "secret" }],
    test: ["title!"],
    // It sends back as `id` what it was answered as `post_id`.
    id: ["id", "current_slug", "slug"],
    text: "html",
    setup:
      "In Outrank, connect a WordPress site: the address as the address of the site, and the secret as its key. Its webhook is a kind of its own, and the better choice.",
    reply: { body: { success: true, post_id: "$external_id" } },
  },
  {
    kind: "outwrite",
    name: "outwrite.ai",
    secretFrom: "rostrum",
    credentials: [{ by: "path" }],
    text: "html",
    setup: "In outwrite.ai, add a webhook, and paste the address, a slash and the secret as its URL.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "ranksector",
    name: "Rank Sector",
    secretFrom: "rostrum",
    credentials: [{ by: "path" }],
    event: { at: ["event_type"], means: { content_publish: "article", test: "test" } },
    id: ["slug"],
    setup:
      "In Rank Sector, add a webhook, and paste the address, a slash and the secret as its URL; its own secret may be anything.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "seogrove",
    name: "SEOGrove",
    secretFrom: "sender",
    credentials: [{ by: "hmac", header: "X-SEOGrove-Signature", prefix: "sha256=" }],
    event: {
      at: ["event", "header:X-SEOGrove-Event"],
      means: { "content.published": "article", "content.deleted": "removal", ping: "test" },
    },
    articles: ["content"],
    id: ["id"],
    setup: "In SEOGrove, add a webhook with the address as its URL, and paste its signing secret into Rostrum.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "seonix",
    name: "Seonix",
    secretFrom: "rostrum",
    credentials: [{ by: "bearer" }],
    id: ["external_id"],
    setup:
      "In Seonix, add a custom API: the address as its endpoint, the secret as its token, and the address with /:id after it as the URL of deletions.",
    // It deletes by the id that it was answered.
    reply: { body: { id: "$external_id", url: "$url" } },
  },
  {
    kind: "seonix-wordpress",
    name: "Seonix (as a WordPress site)",
    secretFrom: "rostrum",
    credentials: [{ by: "header", name: "X-Seonix-Key" }, { by: "header", name: "X-CE-Key" }, { by: "bearer" }],
    // It sends back as `wp_post_id` what it was answered as `post_id`.
    id: ["ce_article_id", "wp_post_id"],
    text: "html",
    setup:
      "In Seonix, connect a WordPress site: the address as the address of the site, and the secret as its key. Its custom API is a kind of its own, and the better choice.",
    reply: { body: { post_id: "$external_id", post_url: "$url" } },
  },
  {
    kind: "seorav",
    name: "SEORAV",
    secretFrom: "rostrum",
    credentials: [{ by: "path" }],
    setup:
      "In SEORAV, add a webhook, and paste the address, a slash and the secret as its URL; its own secret may be anything. It looks at the public address at once, where nothing stands before the article is published.",
    reply: { body: { success: true, url: "$url" } },
  },
  {
    kind: "sorank",
    name: "Sorank",
    secretFrom: "rostrum",
    credentials: [{ by: "bearer" }],
    event: { at: ["event"], means: { "article.published": "article", "webhook.test": "test" } },
    articles: ["article"],
    id: ["slug"],
    setup: "In Sorank, add a webhook with the address as its URL and the secret as its webhook secret.",
    reply: { body: { success: true, id: "$id", url: "$url" } },
  },
  {
    kind: "soreno",
    name: "Soreno",
    secretFrom: "rostrum",
    credentials: [{ by: "bearer" }],
    event: { at: ["event_type"], means: { publish_articles: "article", test: "test" } },
    articles: ["data.articles[]"],
    id: ["id"],
    setup: "In Soreno, add a webhook integration: the address as its endpoint and the secret as its access token.",
    reply: { body: { message: "Webhook processed successfully" } },
  },
  {
    kind: "soro",
    name: "Soro",
    secretFrom: "rostrum",
    credentials: [{ by: "header", name: "X-Soro-Key" }, { by: "bearer" }],
    id: ["soro_article_id"],
    text: "html",
    setup: "In Soro, connect a WordPress site: the address as the address of the site, and the secret as its key.",
    reply: { status: 201, body: { success: true, post_id: "$id", post_url: "$url", duplicate: "$duplicate" } },
    testReply: { body: { success: true } },
  },
  {
    kind: "stackserp-wordpress",
    name: "StackSerp (as a WordPress site)",
    secretFrom: "rostrum",
    credentials: [
      { by: "header", name: "X-StackSerp-Key" },
      { by: "header", name: "X-BlogForge-Key" },
    ],
    id: ["slug"],
    text: "html",
    setup:
      "In StackSerp, connect a WordPress site: the address as the address of the site, and the secret as its key. Its webhook is a kind of its own, and the better choice.",
    reply: { body: { post_id: "$id", post_url: "$url", edit_url: "" } },
  },
  {
    kind: "surfer-wordpress",
    name: "Surfer (as a WordPress site)",
    secretFrom: "rostrum",
    credentials: [{ by: "bearer" }],
    articles: [""],
    fields: {
      title: ["metadata.postTitle"],
      slug: ["url"],
      author: ["metadata.postAuthor.value"],
      published_at: ["metadata.publicationDate"],
      categories: ["metadata.postCategory"],
      tags: ["metadata.postTags", "tags_input"],
      status: ["metadata.postStatus.value"],
      meta_title: ["metadata.postMetaTitle"],
      meta_description: ["metadata.postMetaDescription"],
    },
    text: "html",
    id: ["draft_id"],
    setup: "In Surfer, connect a WordPress site: the address as the address of the site, and the secret as its key.",
    reply: { body: { post_id: "$id", post_url: "$url", url: "$url", post_status: "draft" } },
  },
  {
    kind: "trymarketr",
    name: "tryMarketr",
    secretFrom: "rostrum",
    credentials: [
      { by: "path" },
      { by: "hmac", header: "X-Webhook-Signature" },
      { by: "hmac", header: "X-Webhook-Signature", prefix: "sha256=" },
    ],
    event: { at: ["action"], means: { publish: "article", update: "article", unpublish: "removal", test: "test" } },
    articles: ["article"],
    text: "html",
    id: ["id"],
    setup: "In tryMarketr, add a webhook, and paste the address, a slash and the secret as its URL.",
    reply: { body: { success: true } },
  },
  {
    kind: "writesonic-wordpress",
    name: "Writesonic (as a WordPress site)",
    secretFrom: "rostrum",
    credentials: [{ by: "header", name: "Token" }],
    // It sends back the id that it was answered.
    id: ["id", "slug"],
    text: "html",
    setup:
      "In Writesonic, connect a WordPress site by its plugin: the address as the address of the site, and the secret as its key.",
    reply: { status: 201, body: { id: "$external_id", slug: "$slug", link: "$url", status: "draft" } },
  },
];

export const BY_FIELD_LIST: readonly Dialect[] = SENDERS.map((sender) => Object.assign({ isTried: false }, sender));
