/** The guides for languages without a client: Python, PHP and Go, each with its standard library alone. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { leash } from "../helpers/processes.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { writeDocumentedFiles } from "./documented-files.ts";
import { checkFreshness } from "./freshness.ts";
import { checkServedLists } from "./lists.ts";
import { checkForgery, checkHidden, checkPages, checkPreview, checkRedirect } from "./pages.ts";
import {
  command,
  environment,
  isInstalled,
  serve,
  type ServedSite,
  siteVariables,
  type SiteTest,
  tell,
} from "./site.ts";

interface Language {
  name: string;
  compile?: readonly string[];
  serve: (site: string, port: number, env: Record<string, string>) => Promise<ServedSite>;
  hasSearch?: boolean;
}

const PYTHON: Language = {
  name: "python",
  serve: (site, port, env) => serve(site, "python3", ["blog.py"], env, port),
};
const PHP: Language = { name: "php", serve: servePhp, hasSearch: true };
const GO: Language = {
  name: "go",
  compile: ["go", "build", "-o", "site", "."],
  serve: (site, port, env) => serve(site, "./site", [], env, port),
  hasSearch: true,
};

export const checkPython = (test: SiteTest) => checkLanguage(PYTHON, "python3", test);
export const checkGo = (test: SiteTest) => checkLanguage(GO, "go", test);

/** PHP's built-in server handles one request at a time; with several worker processes it stops responding under load. */
export async function checkPhp(test: SiteTest): Promise<void> {
  if (PHP_FPM === undefined || !existsSync(NGINX))
    return tell("php", "skipped, because nginx and PHP-FPM are not installed");
  await checkLanguage(PHP, "php", test);
}

const NGINX = "/usr/sbin/nginx";
const PHP_FPM = globSync("/usr/sbin/php-fpm*")[0];

/** Serves the site by nginx and PHP-FPM, with the configuration from the guide. */
async function servePhp(site: string, port: number, env: Record<string, string>): Promise<ServedSite> {
  const socket = join(site, "php.sock");
  const location = readFileSync(join(site, "nginx.conf"), "utf8")
    .replace("/var/www/site", site)
    .replace("/run/php/php-fpm.sock", socket);
  const { username } = userInfo();
  const isRoot = username === "root";
  const pool = [
    `[global]\nerror_log = ${site}/fpm.log`,
    `[www]\nlisten = ${socket}\npm = static\npm.max_children = 8`,
    ...Object.entries(env).map(([name, value]) => `env[${name}] = "${value}"`),
    ...(isRoot ? ["user = root", "group = root"] : []),
  ];
  writeFileSync(join(site, "fpm.conf"), `${pool.join("\n")}\n`);
  const temporary = ["client_body", "fastcgi", "proxy", "scgi", "uwsgi"].map(
    (kind) => `${kind}_temp_path ${site}/temp;`,
  );
  writeFileSync(
    join(site, "server.conf"),
    `${isRoot ? "user root;" : ""} daemon off; pid ${site}/nginx.pid; error_log stderr; events {}
http { access_log off; ${temporary.join(" ")} server { listen 127.0.0.1:${port}; ${location} } }`,
  );
  const asRoot = isRoot ? ["--allow-to-run-as-root"] : [];
  const fpm = leash(
    spawn(PHP_FPM ?? "", ["--nodaemonize", ...asRoot, "--fpm-config", join(site, "fpm.conf")], {
      cwd: site,
      env: environment(),
      stdio: "ignore",
    }),
  );
  try {
    const nginx = await serve(site, NGINX, ["-e", "stderr", "-c", join(site, "server.conf")], {}, port);
    return {
      ...nginx,
      async [Symbol.asyncDispose]() {
        await nginx[Symbol.asyncDispose]();
        fpm.kill();
      },
    };
  } catch (error) {
    fpm.kill();
    throw error;
  }
}

async function checkLanguage(language: Language, needed: string, test: SiteTest): Promise<void> {
  const { site, service } = test;
  if (!isInstalled(needed)) return tell(language.name, `skipped, because ${needed} is not installed`);
  mkdirSync(site);
  const guide = `${language.name}.md`;
  writeDocumentedFiles(guide, site);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...siteVariables(guide, service, service.slowUrl, url), PORT: String(port) };
  const [compiler, ...options] = language.compile ?? [];
  if (compiler !== undefined) await command(compiler, options, site, environment());
  await using served = await language.serve(site, port, env);
  await checkPages(served);
  await checkServedLists(language.name, served, service);
  if (language.hasSearch === true) {
    await service.changeBySlug("article-20", { title: "A kettle & its <lid>" });
    assert.match(await served.read("/search?q=kettle"), /\/blog\/article-20">A kettle &amp; its &lt;lid&gt;</);
  }
  await checkForgery(served);
  await checkPreview(served, service);
  await checkHidden(served, service);
  await checkRedirect(served, service);
  tell(language.name, await checkFreshness(served, test));
}
