import { existsSync } from "node:fs";
import config from "../../site.config.json" with { type: "json" };

if (existsSync(".env")) process.loadEnvFile(".env");

/** What site.config.json says. Hosts may set the address as SITE_URL. */
export const site = {
  title: config.title,
  description: config.description === "" ? undefined : config.description,
  language: config.language,
  url: process.env.SITE_URL || config.url || "http://localhost:4321",
  addressOf: ({ slug }) => `/blog/${slug}/`,
};

export const ARTICLES_PER_PAGE = 12;
