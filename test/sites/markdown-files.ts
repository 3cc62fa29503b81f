/** The guide for generators that read Markdown files: Eleventy from npm, Hugo and Jekyll where they are installed. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkArticles } from "./lists.ts";
import { command, environment, install, isInstalled, ROOT, run, type SiteTest, tell, timed, told } from "./site.ts";

interface Generator {
  name: string;
  /** The folder that it reads articles from. */
  folder: string;
  /** The pattern for file names, for `rostrum pull`. */
  pull?: readonly string[];
  /** The folder that it writes pages to. */
  output: string;
  build: (site: string) => Promise<void>;
}

const HUGO: Generator = {
  name: "hugo",
  folder: "content/blog",
  output: "public",
  build: async (site) => {
    rmSync(join(site, "public"), { recursive: true, force: true });
    await command("hugo", [], site, environment());
  },
};
const JEKYLL: Generator = {
  name: "jekyll",
  folder: "_posts",
  pull: ["--names", "date-slug"],
  output: "_site",
  build: (site) => command("jekyll", ["build", "--disable-disk-cache"], site, environment()),
};
const ELEVENTY: Generator = {
  name: "eleventy",
  folder: "src/blog",
  output: "_site",
  build: async (site) => {
    rmSync(join(site, "_site"), { recursive: true, force: true });
    await run(site, "eleventy", [], {});
  },
};

export async function checkEleventy(test: SiteTest): Promise<void> {
  await install(test, ["@11ty/eleventy@3.1.8"], []);
  await checkGenerator(ELEVENTY, test);
}

export const checkHugo = (test: SiteTest) => checkInstalled(HUGO, test);
export const checkJekyll = (test: SiteTest) => checkInstalled(JEKYLL, test);

async function checkInstalled(generator: Generator, test: SiteTest): Promise<void> {
  const { name } = generator;
  if (!isInstalled(name)) return tell(name, `skipped, because ${name} is not installed`);
  mkdirSync(test.site);
  await checkGenerator(generator, test);
}

async function checkGenerator(generator: Generator, { site, service, articles }: SiteTest): Promise<void> {
  const { name, folder, output, build } = generator;
  writeDocumentedFiles("markdown-files.md", site);
  const keyFile = join(site, "key");
  writeFileSync(keyFile, service.key);
  const source = ["--url", service.url, "--key-file", keyFile, ...(generator.pull ?? [])];
  const rostrum = [join(ROOT, "bin", "rostrum.js"), "pull", join(site, folder), ...source];
  const pull = () => timed(service, () => command(process.execPath, rostrum, site, environment()));
  const page = (path: string) => readFileSync(join(site, output, path, "index.html"), "utf8");

  const first = await pull();
  const built = await timed(service, () => build(site));
  assert.match(page("blog/article-7"), /<title>Article 7<\/title>[\s\S]*<h1>Article 7<\/h1>[\s\S]*<strong>7<\/strong>/);
  assert.match(page("blog/article-7"), /<link rel="?canonical"? href="?https:\/\/example\.com\/blog\/article-7\//);
  assert.match(page("blog/article-18"), /<link rel="?canonical"? href="?https:\/\/first\.example\/18/);
  const pages = await checkArticles((path) => Promise.resolve(page(decodeURIComponent(path))), service);
  const second = await pull();
  await service.changeBySlug("article-1", { title: "Changed for a generator" });
  const { slugs } = await service.hide("article-2");
  const third = await pull();
  await build(site);
  const isShown = (slug: string) => existsSync(join(site, output, "blog", slug));
  assert.deepEqual(slugs.filter(isShown), [], "only what is published is shown");
  assert.match(page("blog/article-1"), /Changed for a generator/);
  const pulls = `pulled in ${told(first)}; no change: ${told(second)}; one change: ${told(third)}`;
  tell(name, `${articles} articles ${pulls}; ${pages} pages are linked; built in ${built.seconds} s`);
  assert.equal(first.refused + second.refused + third.refused, 0);
  assert.equal(second.requests, 1);
}
