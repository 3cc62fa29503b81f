/**
 * The client on other runtimes than Node.js: installs them and the client's package with npm, and lets each check the client against
 * a real service (`client-checks.ts`).
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, json } from "node:stream/consumers";
import { record } from "../helpers/http.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { until } from "../helpers/until.ts";
import type { Command, Counts } from "./client-checks.ts";
import type { SiteService } from "./service.ts";
import { command, environment, install, ROOT, run, serve, type ServedSite, type SiteTest, tell } from "./site.ts";

const PACKAGES = ["bun@1.4.5", "deno@2.9.6", "workerd@1.20261117.1", "edge-runtime@4.0.1", "rolldown@1.2.19"];
const DIST = join("node_modules", "@rostrum", "client", "dist");
const PERMISSIONS = ["--allow-net", "--allow-read", "--allow-write"];

export async function checkRuntimes(test: SiteTest): Promise<void> {
  const { site, service, articles } = test;
  await install(test, PACKAGES, ["client"]);
  await using control = await startControl(service);
  const checks = readFileSync(join(import.meta.dirname, "client-checks.ts"), "utf8");
  writeFileSync(join(site, "client-checks.js"), stripTypeScriptTypes(checks));
  const { url, key, token, secret } = { ...service, url: control.relay };
  const settings = JSON.stringify({ url, key, token, secret, control: control.url, articles });

  await checkTypes(site);
  tell("client", "has types for bundlers and for Node.js, without the newest libraries of TypeScript");

  writeFileSync(join(site, "main.js"), program(settings));
  const binary = (name: string) => join(site, "node_modules", ".bin", name);
  const runtimes = {
    node: [process.execPath],
    bun: [binary("bun"), "run"],
    deno: [binary("deno"), "run", ...PERMISSIONS],
  };
  for (const [name, [first = "", ...args]] of Object.entries(runtimes)) {
    // Deno refuses to write below /dev, where the site may be.
    await using copies = await mkdtempDisposable(join(tmpdir(), "rostrum-copies-"));
    await command(first, [...args, "main.js", copies.path], site, environment());
    tell("client", `passes on ${name}`);
  }
  await checkWorkerd(test, settings, control);
  tell("client", "passes on workerd (Cloudflare Workers)");
  await checkEdgeRuntime(test, settings, control);
  tell("client", "passes on edge-runtime (Vercel's edge functions)");
}

/** The package's types compile in a strict project that also checks the types of its dependencies. */
async function checkTypes(site: string): Promise<void> {
  writeFileSync(join(site, "types.ts"), TYPES);
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--types", ""];
  for (const [module, resolution] of Object.entries({ node16: "node16", esnext: "bundler" })) {
    const kinds = ["--module", module, "--moduleResolution", resolution, "--skipLibCheck", "false"];
    await command(tsc, [...options, ...kinds, "types.ts"], site, environment());
  }
}

const TYPES = `
import { createClient, memoryStore, verifyWebhook } from "@rostrum/client";
import { fileStore } from "@rostrum/client/file-store";
import { createHandlers } from "@rostrum/client/handlers";
import { createManagementClient } from "@rostrum/client/management";
import { headTags, PAGE_FIELDS } from "@rostrum/client/site";
import { sqliteStore } from "@rostrum/client/sqlite-store";
import { createTestClient, makeArticle } from "@rostrum/client/testing";

const rostrum = createClient({ url: "https://articles.test", key: "rs_test" });
const website = { url: "https://site.test/", title: "Tea" };
const article = await rostrum.articles.getBySlug("water", { include: PAGE_FIELDS });
if (article !== null) console.log(headTags(website, article), article.authors[0]?.name satisfies string | undefined);
for await (const { slug } of rostrum.articles.all({ fields: ["slug"] })) slug satisfies string;
const { articles } = createManagementClient({ url: "https://articles.test", token: "rm_test" });
const { article: brought } = await articles.upsert("tea-1", { title: "Tea", markdown: "Tea" });
(await articles.submit(brought)).state satisfies string;
console.log(memoryStore(), await fileStore("copy"), sqliteStore("copy.db"), verifyWebhook);
console.log(createHandlers({ rostrum, website, secret: "whsec_c2VjcmV0" }), createTestClient([makeArticle()]));
`;

function program(settings: string): string {
  return `
import * as client from "@rostrum/client";
import { fileStore } from "@rostrum/client/file-store";
import * as management from "@rostrum/client/management";
import * as site from "@rostrum/client/site";
import { sqliteStore } from "@rostrum/client/sqlite-store";
import * as testing from "@rostrum/client/testing";
import { checkClient } from "./client-checks.js";

const folder = process.argv[2];
const stores = {
  memory: client.memoryStore,
  file: () => fileStore(folder + "/copy"),
  sqlite: () => sqliteStore(folder + "/copy.db"),
};
await checkClient({ client, management, site, testing, stores, ...${settings} });
`;
}

async function checkWorkerd({ site }: SiteTest, settings: string, control: Control): Promise<void> {
  const port = await freePort();
  writeFileSync(join(site, "worker.js"), worker(settings, "./client"));
  writeFileSync(join(site, "worker.capnp"), workerConfiguration(site, port));
  const workerd = join(site, "node_modules", ".bin", "workerd");
  await using served = await serve(site, workerd, ["serve", "worker.capnp"], {}, port);
  await checkWorker(served, control);
}

/** It runs only scripts without imports, so the worker is bundled, as on the real platform. */
async function checkEdgeRuntime({ site }: SiteTest, settings: string, control: Control): Promise<void> {
  const port = await freePort();
  writeFileSync(join(site, "worker.js"), worker(settings, `./${DIST}`));
  writeFileSync(
    join(site, "edge.js"),
    'import worker from "./worker.js";\naddEventListener("fetch", (event) => event.respondWith(worker.fetch(event.request)));\n',
  );
  await run(site, "rolldown", ["edge.js", "--format", "iife", "--file", "edge-bundle.js"], {});
  const runtime = join(site, "node_modules", ".bin", "edge-runtime");
  await using served = await serve(site, runtime, ["--listen", "--port", String(port), "edge-bundle.js"], {}, port);
  await checkWorker(served, control);
}

/** A worker has no files; its requests share the client, as in a site. */
async function checkWorker(served: ServedSite, control: Control): Promise<void> {
  const checks = await fetch(`${served.url}/checks`);
  assert.equal(checks.status, 200, await checks.text());

  const slugs = ["article-20", "article-21", "article-20", "article-22", "article-20", "article-23"];
  const titles = await Promise.all(slugs.map((slug) => served.read(`/${slug}`)));
  assert.deepEqual(
    titles,
    slugs.map((slug) => slug.replace("article-", "Article ")),
  );
  // A visitor who disconnects while an article is read must not keep others waiting.
  control.mode = "hang";
  control.held = [];
  const visit = new AbortController();
  const left = fetch(`${served.url}/article-24`, { signal: visit.signal }).catch(() => undefined);
  await until("the worker reads the article", () => control.held.length > 0);
  const others = [served.read("/article-24"), served.read("/article-24")];
  visit.abort();
  await left;
  control.release();
  assert.deepEqual(await Promise.all(others), ["Article 24", "Article 24"]);
  assert.equal(await served.read("/article-24"), "Article 24");
}

/** @param from where the client's modules are. */
function worker(settings: string, from: string): string {
  return `
import * as client from "${from}/index.js";
import * as management from "${from}/management/index.js";
import * as site from "${from}/site/index.js";
import * as testing from "${from}/testing.js";
import { checkClient } from "./client-checks.js";

const settings = ${settings};
const rostrum = client.createClient({ ...settings, cache: { maxAgeMs: 60_000 }, maxConcurrent: 2 });

export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response("ready");
    if (pathname !== "/checks") return new Response((await rostrum.articles.getBySlug(pathname.slice(1)))?.title);
    try {
      const stores = { memory: client.memoryStore };
      return Response.json(await checkClient({ client, management, site, testing, stores, ...settings }));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};
`;
}

function workerConfiguration(site: string, port: number): string {
  const names = readdirSync(join(site, DIST), { recursive: true, encoding: "utf8" });
  // Both use Node's files.
  const portable = names.filter((name) => name.endsWith(".js") && !/(?:file|sqlite)-store/.test(name));
  const modules = [
    ["worker.js", "worker.js"],
    ["client-checks.js", "client-checks.js"],
    ...portable.map((name) => [`client/${name}`, join(DIST, name)]),
  ].map(([name, path]) => `(name = "${name}", esModule = embed "${path}")`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [${modules.join(", ")}], compatibilityDate = "2026-11-01")),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;
}

interface Control extends AsyncDisposable {
  /** Takes commands. */
  url: string;
  /** How the relay passes requests to the service. */
  relay: string;
  mode: NonNullable<Command["relay"]>;
  /** Requests that are held back. */
  held: (() => void)[];
  /** Answers the requests that are held back, and all later ones. */
  release(): void;
}

async function startControl(service: SiteService): Promise<Control> {
  const counts: Counts = { fresh: 0, confirmed: 0, refused: 0, broken: 0 };
  const webhooks = new Map<string, { headers: IncomingMessage["headers"]; body: string }>();

  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const { url, method, headers } = incoming;
    const onward = request(new URL(url ?? "/", service.url), { method, headers }, (answer) => {
      const { statusCode = 500 } = answer;
      if (statusCode === 200) counts.fresh += 1;
      if (statusCode === 304) counts.confirmed += 1;
      if (statusCode === 429) counts.refused += 1;
      answer.pipe(response.writeHead(statusCode, answer.headers));
    });
    onward.on("error", () => response.destroy());
    incoming.pipe(onward);
  };
  const relay = await listen((incoming, response) => {
    if (control.mode === "down") {
      counts.broken += 1;
      response.destroy();
    } else if (control.mode === "hang") {
      control.held.push(() => forward(incoming, response));
    } else if (control.mode === "busy") {
      control.mode = "pass";
      counts.refused += 1;
      response.writeHead(429, { "Retry-After": "1" }).end();
    } else {
      forward(incoming, response);
    }
  });
  const commands = await listen((incoming, response) => {
    const answer = async () => {
      if (incoming.url === "/webhook") {
        const body = (await buffer(incoming)).toString();
        webhooks.set(String(record(record(JSON.parse(body))["data"])["title"]), { headers: incoming.headers, body });
        return {};
      }
      return await execute((await json(incoming)) as Command);
    };
    answer().then(
      (value) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  service.receiver = `${commands.url}/webhook`;

  const execute = async ({ relay, slug, fields, draft, webhook }: Command): Promise<object> => {
    if (relay === "pass") control.release();
    else if (relay !== undefined) control.mode = relay;
    if (slug !== undefined) await service.changeBySlug(slug, fields ?? {});
    if (draft !== undefined) {
      const { slug, search } = await service.draft(draft);
      return { slug, token: new URLSearchParams(search).get("token") };
    }
    if (webhook === undefined) return counts;
    await until(`a webhook about ${webhook}`, () => webhooks.has(webhook));
    return webhooks.get(webhook) ?? {};
  };
  const control: Control = {
    url: commands.url,
    relay: relay.url,
    mode: "pass",
    held: [],
    release() {
      control.mode = "pass";
      for (const answer of control.held.splice(0)) answer();
    },
    async [Symbol.asyncDispose]() {
      service.receiver = null;
      await Promise.all([relay[Symbol.asyncDispose](), commands[Symbol.asyncDispose]()]);
    },
  };
  return control;
}

async function listen(answer: (incoming: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
