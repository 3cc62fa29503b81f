import { createDraftHandlers } from "@rostrum/next";

/** Preview address for the website's settings: https://your-site/preview?slug={slug}&token={token} */
export const { GET, DELETE } = createDraftHandlers({ path: (slug) => `/blog/${slug}` });
