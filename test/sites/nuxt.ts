/** The guide for Nuxt. */
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkServedLists } from "./lists.ts";
import { checkForgery, checkHidden, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { install, run, serve, siteVariables, type SiteTest, tell } from "./site.ts";

export async function checkNuxt(test: SiteTest): Promise<void> {
  const { site, service } = test;
  await install(test, ["nuxt@4.5.2"], ["client"]);
  writeDocumentedFiles("nuxt.md", site);
  await run(site, "nuxt", ["build"], { NUXT_TELEMETRY_DISABLED: "1" });
  const port = await freePort();
  const env = {
    ...siteVariables("nuxt.md", service, service.slowUrl, `http://127.0.0.1:${port}`),
    HOST: "127.0.0.1",
    PORT: String(port),
  };
  await using served = await serve(site, process.execPath, [".output/server/index.mjs"], env, port);
  await checkPages(served);
  await checkServedLists("nuxt", served, service);
  await checkForgery(served);
  await checkPreview(served, service);
  await checkHidden(served, service);
  await checkRedirect(served, service);
  tell("nuxt", await checkFreshness(served, test));
}
