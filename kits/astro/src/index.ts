export { rostrumLiveLoader } from "./live-loader.ts";
export { rostrumLoader, type RostrumLoaderOptions } from "./loader.ts";
export { newestFirst } from "./newest-first.ts";
export { createSite } from "./site.ts";
