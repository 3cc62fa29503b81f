import { createRostrum } from "@rostrum/next";
import config from "../site.config.json";

const { ROSTRUM_URL: url = "", ROSTRUM_API_KEY: key = "" } = process.env;
if (url === "" || key === "") {
  throw new Error(
    "Put the address of your Rostrum service and an API key of scope published into .env: ROSTRUM_URL=… and ROSTRUM_API_KEY=rs_…",
  );
}

export const rostrum = createRostrum({ url, key });

/** What site.config.json says. Hosts may set the address as SITE_URL. */
export const site = {
  title: config.title,
  description: config.description === "" ? undefined : config.description,
  language: config.language,
  url: process.env.SITE_URL || config.url || "http://localhost:3000",
  addressOf: ({ slug }) => `/blog/${slug}`,
};

export const ARTICLES_PER_PAGE = 12;

export function formatDay(time) {
  return new Intl.DateTimeFormat(site.language, { dateStyle: "long", timeZone: "UTC" }).format(new Date(time));
}
