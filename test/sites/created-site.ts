/** A site created by `create-rostrum-site`: installed from the package, built, served, and checked in Chromium. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import { CHROMIUM, launchChromium } from "../helpers/chromium.ts";
import { record } from "../helpers/http.ts";
import { leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import { checkServedLists } from "./lists.ts";
import type { SiteService } from "./service.ts";

const execute = promisify(execFile);

const GUIDE = join(import.meta.dirname, "..", "..", "docs", "sites", "new-site.md");

/** Minimum for each Lighthouse score. */
const MIN_SCORE = 95;
const LIGHTHOUSE = "lighthouse@13.5.0";

export interface CreatedSiteOptions {
  template: "astro" | "next";
  /** An empty folder. */
  folder: string;
  /** The folder with the package of `create-rostrum-site`. */
  packs: string;
  service: SiteService;
  port: number;
  env: Record<string, string>;
  npm: (cwd: string, ...args: string[]) => Promise<unknown>;
  /** Where to save screenshots of the pages. */
  screenshots?: string | undefined;
}

/** @returns Lighthouse's scores of the list and of an article, by category. */
export async function checkCreatedSite(options: CreatedSiteOptions) {
  const { template, folder, packs, service, port, env, npm, screenshots } = options;
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, service.key);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  await npm(folder, "install", LIGHTHOUSE);
  const bin = (name: string) => join(folder, "node_modules", ".bin", name);
  const pack = readdirSync(packs).find((name) => name.startsWith("create-rostrum-site")) ?? "";
  copyFileSync(join(packs, pack), join(folder, pack));
  const documented = `npx --yes ./${pack} my-site --template ${template}`;
  assert.ok(readFileSync(GUIDE, "utf8").includes(`\n${documented}\n`), documented);
  const [program = "", ...args] = documented.split(" ");
  const answers = ["--title", "Lantern Row", "--url", service.url, "--key-file", keyFile];
  await execute(program, [...args, ...answers], { cwd: folder, env });
  const site = join(folder, "my-site");
  const url = `http://127.0.0.1:${port}`;
  const config = join(site, "site.config.json");
  const settings = {
    ...record(JSON.parse(readFileSync(config, "utf8"))),
    description: "Tea, and the water for it.",
    url,
  };
  writeFileSync(config, JSON.stringify(settings));
  const { slugs } = await service.hide("article-2");
  await npm(site, "install");
  await npm(site, "run", "build");
  const serve = template === "astro" ? ["preview", "--port"] : ["start", "--port"];
  const server = leash(
    spawn(join(site, "node_modules", ".bin", template), [...serve, String(port)], { cwd: site, env, stdio: "ignore" }),
  );
  await using _stopped = { [Symbol.asyncDispose]: async () => void server.kill() };
  await until(
    "the site is served",
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  );

  const read = async (path: string) => await (await fetch(url + path)).text();
  const article = await read("/blog/article-7/");
  assert.match(article, /<h1>Article 7<\/h1>[\s\S]*<strong>7<\/strong>/);
  assert.match(article, /application\/ld\+json/);
  assert.match(await read("/tags/tag-3/"), /Article 3/);
  assert.match(await read("/sitemap.xml"), /\/blog\/article-7\/?</);
  assert.match(await read("/feed.xml"), /<feed /);
  assert.match(await read("/llms.txt"), /\[Article 7\]/);
  assert.match(await read("/robots.txt"), new RegExp(`Sitemap: ${url}/sitemap.xml`));
  for (const path of ["none", ...slugs.map((slug) => `blog/${slug}/`)])
    assert.equal((await fetch(`${url}/${path}`)).status, 404, path);
  for (const path of ["/", "/tags/tag-2/", "/sitemap.xml", "/feed.xml", "/llms.txt"]) {
    const page = await read(path);
    for (const slug of slugs) assert.ok(!new RegExp(`/blog/${slug}[/"<]`).test(page), `${slug} in ${path}`);
  }
  // As the site's links have it: without, a preview shows tags/index.html for the tag "index".
  await checkServedLists(`new-${template}`, { url, errors: () => "" }, service, template === "astro" ? "/" : "");
  await lookAt(url, screenshots === undefined ? undefined : join(screenshots, template));
  const scores = {
    list: await lighthouse(bin("lighthouse"), url, folder, env),
    article: await lighthouse(bin("lighthouse"), `${url}/blog/article-7/`, folder, env),
  };
  for (const [page, all] of Object.entries(scores)) {
    for (const [category, score] of Object.entries(all)) assert.ok(score >= MIN_SCORE, `${page}: ${category} ${score}`);
  }
  return scores;
}

const PAGES = {
  list: "/",
  article: "/blog/article-7/",
  tags: "/tags/",
  tag: "/tags/tag-3/",
  search: "/search/?q=article",
  "nothing-found": "/search/?q=!",
  "not-found": "/none",
};

/** Checks every kind of page at two widths, light and dark: axe finds nothing, nothing scrolls sideways, and the search works. */
async function lookAt(url: string, screenshots: string | undefined): Promise<void> {
  const chromium = await launchChromium();
  await using _closed = { [Symbol.asyncDispose]: () => chromium.close() };
  for (const [width, colorScheme] of [
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const) {
    const context = await chromium.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    for (const [name, path] of Object.entries(PAGES)) {
      const where = `${name} at ${width} ${colorScheme}`;
      const reply = await page.goto(url + path);
      assert.ok((reply?.status() ?? 0) < 500, path);
      if (name === "search")
        await page
          .getByRole("link", { name: /^Article \d/ })
          .first()
          .waitFor();
      if (screenshots !== undefined) {
        const shot = (kind: string) => ({ path: join(screenshots, `${name}-${width}-${kind}.png`) });
        await page.screenshot(shot(colorScheme));
        if (name === "article" && width === 1280 && colorScheme === "dark") {
          await page.emulateMedia({ media: "print" });
          await page.screenshot(shot("print"));
          await page.emulateMedia({ media: "screen" });
        }
      }
      await page.evaluate(axe.source);
      const { violations }: axe.AxeResults = await page.evaluate("axe.run()");
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
        [],
        where,
      );
      assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false, where);
    }
    await context.close();
  }
}

async function lighthouse(program: string, url: string, folder: string, env: Record<string, string>) {
  const output = join(folder, "lighthouse.json");
  const flags = ["--quiet", "--output=json", `--output-path=${output}`, "--chrome-flags=--headless=new --no-sandbox"];
  await execute(program, [url, ...flags], { env: { ...env, CHROME_PATH: CHROMIUM } });
  const categories = record(record(JSON.parse(readFileSync(output, "utf8")))["categories"]);
  return Object.fromEntries(
    Object.entries(categories).map(([name, category]) => [name, Math.round(Number(record(category)["score"]) * 100)]),
  );
}
