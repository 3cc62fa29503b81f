import type { Dialect } from "../../dialect.ts";

export const surferWordPress: Dialect = {
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
  isTried: false,
  setup: "In Surfer, connect a WordPress site: the address as the address of the site, and the secret as its key.",
  reply: { body: { post_id: "$id", post_url: "$url", url: "$url", post_status: "draft" } },
};
