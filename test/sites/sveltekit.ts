/** The guide for SvelteKit. */
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkServedLists } from "./lists.ts";
import { checkForgery, checkHidden, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { install, run, serve, siteVariables, type SiteTest, tell } from "./site.ts";

const PACKAGES = ["@sveltejs/kit@3.2.0", "@sveltejs/adapter-node@6.0.1", "svelte@5.57.3", "vite@8.3.8"];

export async function checkSvelteKit(test: SiteTest): Promise<void> {
  const { site, service } = test;
  await install(test, PACKAGES, ["client"]);
  writeDocumentedFiles("sveltekit.md", site);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const variables = (way: string) => siteVariables("sveltekit.md", service, way, url);
  await run(site, "vite", ["build"], variables(service.url));
  const env = { ...variables(service.slowUrl), HOST: "127.0.0.1", PORT: String(port) };
  await using served = await serve(site, process.execPath, ["build"], env, port);
  await checkPages(served);
  await checkServedLists("sveltekit", served, service);
  await checkForgery(served);
  await checkPreview(served, service);
  await checkHidden(served, service);
  await checkRedirect(served, service);
  tell("sveltekit", await checkFreshness(served, test));
}
