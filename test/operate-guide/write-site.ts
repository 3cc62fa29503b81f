/** Writes the files that a guide of docs/sites shows, and its variables as `.env`, into the current folder. */
import { writeFileSync } from "node:fs";
import { documentedVariables, writeDocumentedFiles } from "../sites/documented-files.ts";

const [guide = "", site = ""] = process.argv.slice(2);
const { KEY = "", SECRET = "" } = process.env;
const values: Record<string, string> = {
  ROSTRUM_URL: "http://127.0.0.1:4000",
  ROSTRUM_API_KEY: KEY,
  SITE_URL: site,
  ORIGIN: site,
  WEBHOOK_SECRET: SECRET,
};
writeDocumentedFiles(guide, process.cwd());
writeFileSync(
  ".env",
  documentedVariables(guide)
    .map((name) => `${name}=${values[name] ?? ""}\n`)
    .join(""),
);
