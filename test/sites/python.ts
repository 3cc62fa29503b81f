/** The guide for Python, with its standard library alone. */
import { mkdirSync } from "node:fs";
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkForgery, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { serve, siteVariables, type SiteTest, tell } from "./site.ts";

export async function checkPython({ site, service, changes }: SiteTest): Promise<void> {
  mkdirSync(site);
  writeDocumentedFiles("python.md", site);
  const port = await freePort();
  const env = {
    ...siteVariables(service, service.slowUrl),
    SITE_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
  };
  await using served = await serve(site, "python3", ["blog.py"], env, port);
  await checkPages(served);
  await checkForgery(served);
  await checkPreview(served, service);
  await checkRedirect(served, service);
  tell("python", await checkFreshness(served, service, changes));
}
