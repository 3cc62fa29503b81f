/**
 * `npm run test:sites -- [next] [astro] [eleventy] [new-astro] [new-next] [--articles N] [--changes N]`: follows the guides of docs/sites from an empty
 * folder. It packs the client and the kits, installs each generator with npm, builds the code that the guide shows, and checks
 * every page; for Next.js it then changes articles while pages are visited through a slow network, and counts pages that are
 * still old one second after their webhook was accepted. It needs npm's registry, so it is not a part of `npm test`.
 */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { createClient } from "../../client/src/index.ts";
import { tempFolder } from "../helpers/folder.ts";
import { leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import { checkCreatedSite } from "./created-site.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { startSiteService } from "./service.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PACKAGES = {
  next: ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"],
  astro: ["astro@7.3.5"],
  eleventy: ["@11ty/eleventy@3.1.8"],
};
/** The templates of `create-rostrum-site`, whose sites name what they need themselves. */
const TEMPLATES = { "new-astro": "astro", "new-next": "next" } as const;
type Name = keyof typeof PACKAGES | keyof typeof TEMPLATES;
const execute = promisify(execFile);
const NAMES = Object.keys({ ...PACKAGES, ...TEMPLATES }) as Name[];
/** As many pages as are changed and visited at the same time. */
const PAGES_AT_ONCE = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { articles: { type: "string", default: "300" }, changes: { type: "string", default: "100" } },
});
const wanted = NAMES.filter((name) => positionals.length === 0 || positionals.includes(name));
const [articles, changes] = [Number(values.articles), Number(values.changes)];

await using folder = await tempFolder();
const packs = join(folder.path, "packs");
mkdirSync(packs);
await npm(
  ROOT,
  "pack",
  "--workspace",
  "client",
  "--workspace",
  "kits/next",
  "--workspace",
  "kits/astro",
  "--workspace",
  "kits/create-rostrum-site",
  "--pack-destination",
  packs,
);
await using service = await startSiteService(join(folder.path, "data"), articles);
for (const name of wanted) {
  const site = join(folder.path, name);
  mkdirSync(site);
  if (name === "new-astro" || name === "new-next") {
    const [template, env] = [TEMPLATES[name], environment()];
    const scores = await checkCreatedSite({ template, folder: site, packs, service, port: 4718, env, npm });
    tell(name, `Lighthouse: ${JSON.stringify(scores)}`);
    continue;
  }
  writeFileSync(join(site, "package.json"), '{ "name": "site", "private": true, "type": "module" }');
  const own = readdirSync(packs).filter((pack) => new RegExp(`^rostrum-(client|${name})-`).test(pack));
  await npm(site, "install", ...PACKAGES[name], ...own.map((pack) => join(packs, pack)));
  await { next: checkNext, astro: checkAstro, eleventy: checkEleventy }[name](site);
}

async function checkNext(site: string): Promise<void> {
  writeDocumentedFiles("next.md", site);
  const layout = "export default ({ children }) => <html lang='en'><body>{children}</body></html>;\n";
  writeFileSync(join(site, "app", "layout.jsx"), layout);
  const env = { ROSTRUM_URL: service.url, ROSTRUM_API_KEY: service.key, WEBHOOK_SECRET: service.secret };
  const build = await timed(() => run(site, "next", ["build"], env));
  tell("next", `${articles} articles built in ${build.seconds} s by ${build.requests} requests`);
  const port = "4717";
  const server = leash(
    spawn(join(site, "node_modules", ".bin", "next"), ["start", "--port", port], {
      cwd: site,
      env: { ...environment(), ...env, ROSTRUM_URL: service.slowUrl },
      stdio: "ignore",
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  const read = async (path: string) => await (await fetch(url + path)).text();
  await until("Next.js serves", () => read("/").then(Boolean, () => false));
  assert.match(await read("/blog/article-7"), /<h1>Article 7<\/h1>[\s\S]*<strong>7<\/strong>/);
  assert.match(await read("/tags/tag-3"), /Article 3/);
  assert.match(await read("/sitemap.xml"), /\/blog\/article-7</);
  assert.match(await read("/feed.xml"), /<feed /);
  assert.equal((await fetch(`${url}/blog/none`)).status, 404);
  service.receiver = `${url}/hooks/rostrum`;
  const old = await changeWhileVisited(read);
  service.receiver = null;
  server.kill();
  tell("next", `of ${changes} changes, one second after the webhook: ${old.pages} old pages, ${old.lists} old lists`);
  assert.deepEqual(old, { pages: 0, lists: 0 });
}

/** Changes titles while visitors have pages rendered all the time. @returns how many pages did not show their change in time. */
async function changeWhileVisited(read: (path: string) => Promise<string>) {
  const client = createClient({ url: service.url, key: service.key });
  const { articles: all } = await client.articles.list({ limit: PAGES_AT_ONCE, fields: ["id", "slug"] });
  const old = { pages: 0, lists: 0 };
  const over = new AbortController();
  const visitors = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      const { slug } = all[Math.floor(Math.random() * all.length)] ?? { slug: "" };
      await Promise.all([read(`/blog/${slug}`), read("/")]);
    }
  });
  for (let change = 0; change < changes; change += PAGES_AT_ONCE) {
    const round = all.map(async ({ id, slug }, index) => {
      await sleep(Math.random() * 1500);
      const title = `Change ${change + index}.`;
      await service.change(id, { title });
      const acceptedAt = await service.acceptedAt(title);
      await sleep(1000 - (performance.now() - acceptedAt));
      if (!(await read(`/blog/${slug}`)).includes(title)) old.pages += 1;
      if (!(await read("/")).includes(title)) old.lists += 1;
    });
    await Promise.all(round);
  }
  over.abort();
  await Promise.all(visitors);
  return old;
}

async function checkAstro(site: string): Promise<void> {
  writeDocumentedFiles("astro.md", site);
  const env = { ROSTRUM_URL: service.url, ROSTRUM_API_KEY: service.key };
  const build = () => timed(() => run(site, "astro", ["build"], env));
  const first = await build();
  const page = (name: string) => readFileSync(join(site, "dist", "blog", name, "index.html"), "utf8");
  assert.equal(readdirSync(join(site, "dist", "blog")).length, articles);
  assert.match(page("article-7"), /<strong>7<\/strong>/);
  assert.ok(existsSync(join(site, "dist", "tags", "tag-3", "index.html")));
  assert.match(readFileSync(join(site, "dist", "feed.xml"), "utf8"), /<feed /);
  const second = await build();
  await change("article-1", { title: "Changed for Astro" });
  await change("article-9", { slug: "renamed" });
  const third = await build();
  assert.match(page("article-1"), /Changed for Astro/);
  assert.match(page("article-9"), /url=\/blog\/renamed\//);
  tell(
    "astro",
    `${articles} articles built in ${first.seconds} s by ${first.requests} requests; no change: ${second.requests}; one change: ${third.requests}`,
  );
  // The articles' state, and the redirects.
  assert.equal(second.requests, 2);
}

async function checkEleventy(site: string): Promise<void> {
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
  const pull = () =>
    timed(() => {
      const rostrum = [join(ROOT, "bin", "rostrum.js"), "pull", blog, "--url", service.url, "--key-file", keyFile];
      return execute(process.execPath, rostrum, { env: environment() });
    });
  const first = await pull();
  await run(site, "eleventy", [], {});
  assert.equal(readdirSync(join(site, "_site", "blog")).length, articles);
  const second = await pull();
  await change("article-1", { title: "Changed for Eleventy" });
  const third = await pull();
  await run(site, "eleventy", [], {});
  assert.match(readFileSync(join(site, "_site", "blog", "article-1", "index.html"), "utf8"), /Changed for Eleventy/);
  tell(
    "eleventy",
    `${articles} articles pulled in ${first.seconds} s by ${first.requests} requests; no change: ${second.requests}; one change: ${third.requests}`,
  );
  assert.equal(second.requests, 1);
}

async function change(slug: string, fields: { title?: string; slug?: string }): Promise<void> {
  const client = createClient({ url: service.url, key: service.key });
  const [article] = (await client.articles.list({ slug, fields: ["id"] })).articles;
  await service.change(article?.id ?? "", fields);
}

/** Runs work that builds a site. @returns how long it took, and how many requests it made. */
async function timed(work: () => Promise<unknown>): Promise<{ seconds: string; requests: number }> {
  const [start, before] = [performance.now(), service.requests()];
  await work();
  return { seconds: ((performance.now() - start) / 1000).toFixed(1), requests: service.requests() - before };
}

function run(site: string, program: string, args: string[], env: Record<string, string>) {
  return execute(join(site, "node_modules", ".bin", program), args, { cwd: site, env: { ...environment(), ...env } });
}

function npm(cwd: string, ...args: string[]) {
  return execute("npm", [...args, "--no-audit", "--no-fund"], { cwd });
}

function environment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1" };
}

function tell(site: string, text: string): void {
  process.stdout.write(`${site}: ${text}\n`);
}
