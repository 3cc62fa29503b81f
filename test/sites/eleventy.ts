/** The guide for generators that read Markdown files, with Eleventy. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, environment, install, ROOT, run, type SiteTest, tell, timed, told } from "./site.ts";

export async function checkEleventy(test: SiteTest): Promise<void> {
  const { site, service, articles } = test;
  await install(test, ["@11ty/eleventy@3.1.8"], []);
  const blog = join(site, "src", "blog");
  const keyFile = join(site, "key");
  writeFileSync(keyFile, service.key);
  mkdirSync(blog, { recursive: true });
  const data = 'export default { layout: "article.njk", permalink: ({ slug }) => `/blog/${slug}/` };\n';
  writeFileSync(join(blog, "blog.11tydata.js"), data);
  mkdirSync(join(site, "src", "_includes"));
  writeFileSync(join(site, "src", "_includes", "article.njk"), "<h1>{{ title }}</h1>{{ content | safe }}");
  const configuration = 'export default () => ({ dir: { input: "src" }, markdownTemplateEngine: false });\n';
  writeFileSync(join(site, "eleventy.config.js"), configuration);
  const pull = () => {
    const rostrum = [join(ROOT, "bin", "rostrum.js"), "pull", blog, "--url", service.url, "--key-file", keyFile];
    return timed(service, () => command(process.execPath, rostrum, site, environment()));
  };
  const first = await pull();
  const built = await timed(service, () => run(site, "eleventy", [], {}));
  assert.equal(readdirSync(join(site, "_site", "blog")).length, articles);
  const second = await pull();
  await service.changeBySlug("article-1", { title: "Changed for Eleventy" });
  const third = await pull();
  await run(site, "eleventy", [], {});
  assert.match(readFileSync(join(site, "_site", "blog", "article-1", "index.html"), "utf8"), /Changed for Eleventy/);
  const pulls = `pulled in ${told(first)}; no change: ${told(second)}; one change: ${told(third)}`;
  tell("eleventy", `${articles} articles ${pulls}; built in ${built.seconds} s`);
  assert.equal(first.refused + second.refused + third.refused, 0);
  assert.equal(second.requests, 1);
}
