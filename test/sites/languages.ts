/** The guides for languages without a client: Python, PHP and Go, each with its standard library alone. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkForgery, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import { command, environment, isInstalled, serve, siteVariables, type SiteTest, tell } from "./site.ts";

interface Language {
  name: string;
  compile?: readonly string[];
  /** Serves the site at the port, by its variables or arguments. */
  serve: (port: number) => readonly string[];
  variables?: Record<string, string>;
  hasSearch?: boolean;
}

const PYTHON: Language = { name: "python", serve: () => ["python3", "blog.py"] };
const PHP: Language = {
  name: "php",
  serve: (port) => ["php", "-S", `127.0.0.1:${port}`, "index.php"],
  variables: { PHP_CLI_SERVER_WORKERS: "4" },
  hasSearch: true,
};
const GO: Language = {
  name: "go",
  compile: ["go", "build", "-o", "site", "."],
  serve: () => ["./site"],
  hasSearch: true,
};

export const checkPython = (test: SiteTest) => checkLanguage(PYTHON, test);
export const checkPhp = (test: SiteTest) => checkLanguage(PHP, test);
export const checkGo = (test: SiteTest) => checkLanguage(GO, test);

async function checkLanguage(language: Language, test: SiteTest): Promise<void> {
  const { site, service } = test;
  const port = await freePort();
  const [program = "", ...args] = language.serve(port);
  const needed = language.compile?.[0] ?? program;
  if (!isInstalled(needed)) return tell(language.name, `skipped, because ${needed} is not installed`);
  mkdirSync(site);
  writeDocumentedFiles(`${language.name}.md`, site);
  const env = {
    ...siteVariables(service, service.slowUrl),
    ...language.variables,
    SITE_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
  };
  const [compiler, ...options] = language.compile ?? [];
  if (compiler !== undefined) await command(compiler, options, site, environment());
  await using served = await serve(site, program, args, env, port);
  await checkPages(served);
  if (language.hasSearch === true) {
    await service.changeBySlug("article-20", { title: "A kettle & its <lid>" });
    assert.match(await served.read("/search?q=kettle"), /\/blog\/article-20">A kettle &amp; its &lt;lid&gt;</);
  }
  await checkForgery(served);
  await checkPreview(served, service);
  await checkRedirect(served, service);
  tell(language.name, await checkFreshness(served, test));
}
