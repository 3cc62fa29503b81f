/** The guide for Python, with its standard library alone. */
import { mkdirSync } from "node:fs";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkForgery, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { serve, siteVariables, type SiteTest, tell } from "./site.ts";

const PORT = 4722;

export async function checkPython({ site, service, changes }: SiteTest): Promise<void> {
  mkdirSync(site);
  writeDocumentedFiles("python.md", site);
  const env = {
    ...siteVariables(service, service.slowUrl),
    SITE_URL: `http://127.0.0.1:${PORT}`,
    PORT: String(PORT),
  };
  await using served = await serve(site, "python3", ["blog.py"], env, PORT);
  await checkPages(served);
  await checkForgery(served);
  await checkPreview(served, service);
  await checkRedirect(served, service);
  tell("python", await checkFreshness(served, service, changes));
}
