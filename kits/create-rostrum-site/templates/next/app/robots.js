import { site } from "../lib/site";

export default () => ({ rules: { userAgent: "*", allow: "/" }, sitemap: new URL("/sitemap.xml", site.url).href });
