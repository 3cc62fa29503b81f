import { sitemapOf } from "@rostrum/next";
import { rostrum, site } from "../lib/site";

export default () => sitemapOf(rostrum, ({ slug }) => new URL(`/blog/${slug}`, site.url).href);
