/** The guides for Next.js: pages that are cached by tags, and functions with "use cache". */
import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkForgery, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { install, run, serve, siteVariables, type SiteTest, tell, timed, told } from "./site.ts";

const PACKAGES = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"];

/** @param guides in order: each may replace files of an earlier one. */
async function buildNext(test: SiteTest, name: string, guides: readonly string[]) {
  const { site, service, articles } = test;
  await install(test, PACKAGES, ["client", "next"]);
  for (const guide of guides) writeDocumentedFiles(guide, site);
  const port = await freePort();
  const variables = (way: string) => siteVariables("next.md", service, way, `http://127.0.0.1:${port}`);
  const build = await timed(service, () => run(site, "next", ["build"], variables(service.url)));
  tell(name, `${articles} articles built in ${told(build)}`);
  assert.equal(build.refused, 0);
  const next = join(site, "node_modules", ".bin", "next");
  return await serve(site, next, ["start", "--port", String(port)], variables(service.slowUrl), port);
}

async function checkNext(test: SiteTest, name: string, guides: readonly string[]): Promise<void> {
  await using site = await buildNext(test, name, guides);
  await checkPages(site);
  await checkForgery(site);
  await checkPreview(site, test.service);
  await checkRedirect(site, test.service);
  tell(name, await checkFreshness(site, test));
}

export const checkNextTags = (test: SiteTest) => checkNext(test, "next", ["next.md"]);
export const checkNextUseCache = (test: SiteTest) =>
  checkNext(test, "next-use-cache", ["next.md", "next-use-cache.md"]);
