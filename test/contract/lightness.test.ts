import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../helpers/folder.ts";
import { ROOT } from "./described.ts";

/** Prints the address of every module that the command's code loads before it has started anything; Node's own only if we import it. */
const SCRIPT = `
  import { registerHooks } from "node:module";
  const loaded = new Set();
  const note = (url, from) => { if (!url.startsWith("node:") || from.includes("/src/")) loaded.add(url); };
  registerHooks({ resolve: (name, context, next) => { const found = next(name, context); note(found.url, context.parentURL); return found; } });
  await import(process.argv[1]);
  console.log(JSON.stringify([...loaded]));
`;

test("a command that lists keys loads nothing of texts, pictures, mails and requests to others", () => {
  const key = pathToFileURL(join(ROOT, "src", "cli", "people", "key.ts")).href;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", SCRIPT, key], { encoding: "utf8" });
  const loaded = JSON.parse(output) as string[];
  assert.ok(loaded.some((url) => url.endsWith("/src/app/app.ts")));
  assert.deepEqual(
    loaded.filter((url) => /\/src\/(?:content-processes|asset-files|email|http|importers|webhooks\/http)\//.test(url)),
    [],
  );
});

test("a server does not load Fastify, the contract, its schema library, the documentation's viewer, or what writes, sends and cleans", () => {
  const serve = pathToFileURL(join(ROOT, "src", "cli", "serve.ts")).href;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", SCRIPT, serve], { encoding: "utf8" });
  const loaded = JSON.parse(output) as string[];
  assert.ok(loaded.some((url) => url.endsWith("/src/http/read-api/read-api.ts")));
  assert.deepEqual(
    loaded.filter((url) =>
      /^node:(?:http|util|zlib)$|\/src\/telemetry\/|trace-requests|\/operations\/articles\/write\/articles\.ts|\/operations\/website\/retention\.ts|typebox|\/http\/contract\/|@scalar|\/node_modules\/(?:fastify|ajv|nodemailer|undici|prom-client|pg|otpauth|parse5)\//.test(
        url,
      ),
    ),
    [],
  );
});

/** Starts a service without accounts, requests a page, and prints the address of every module that it has loaded then. */
const START = `
  import { registerHooks } from "node:module";
  const loaded = new Set();
  registerHooks({ resolve: (name, context, next) => { const found = next(name, context); loaded.add(found.url); return found; } });
  const { startTestService } = await import(process.argv[1]);
  await using service = await startTestService();
  await fetch(service.url + "/docs");
  console.log(JSON.stringify([...loaded]));
`;

test("a service that exports neither traces nor logs loads nothing of them, and loads no compiler of schemas before the first request to the API of the dashboard", () => {
  const service = pathToFileURL(join(ROOT, "test", "helpers", "service.ts")).href;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", START, service], {
    encoding: "utf8",
  });
  const loaded = JSON.parse(output) as string[];
  assert.ok(loaded.some((url) => url.includes("/fastify/")));
  assert.deepEqual(
    loaded.filter((url) =>
      /\/node_modules\/(ajv|@fastify\/(ajv|fast-json-stringify)-compiler)\/|\/src\/telemetry\/|trace-requests/.test(
        url,
      ),
    ),
    [],
  );
});

/** The same, with a request to each API but the agents' protocol, which one sends without a token; and then one with a token. */
const START_AGENTS = `
  import { registerHooks } from "node:module";
  const loaded = new Set();
  registerHooks({ resolve: (name, context, next) => { const found = next(name, context); loaded.add(found.url); return found; } });
  const { startTestService } = await import(process.argv[2]);
  const { createToken } = await import(process.argv[3]);
  await using service = await startTestService();
  const seen = [];
  const request = async (path, init) => {
    const { status } = await fetch(service.url + path, init);
    seen.push({ path, status, loaded: [...loaded] });
  };
  await request("/api/public/articles", { headers: { "X-API-Key": service.key } });
  await request("/api/management/me");
  const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await request("/mcp", { method: "POST", headers: json, body });
  const input = { name: "x", scope: "read", expiresAt: null };
  const { secret } = await createToken(service.app, service.website.id, input, { actor: "cli", address: null });
  await request("/mcp", { method: "POST", headers: { ...json, Authorization: "Bearer " + secret }, body });
  await request("/senders/unknown", { method: "POST", headers: json, body: "{}" });
  console.log(JSON.stringify(seen));
`;

test("a server that is read loads nothing of the management API, and never the agents' protocol, or what senders send", async () => {
  const paths = [
    ["test", "helpers", "service.ts"],
    ["src", "operations", "people", "access-tokens.ts"],
  ].map((path) => pathToFileURL(join(ROOT, ...path)).href);
  await using folder = await tempFolder();
  // Threads would inherit the arguments of a script that is no file.
  await writeFile(folder.at("start.mjs"), START_AGENTS);
  const output = execFileSync(process.execPath, [folder.at("start.mjs"), ...paths], {
    encoding: "utf8",
    maxBuffer: 10_000_000,
  });
  const seen = JSON.parse(output) as { path: string; status: number; loaded: string[] }[];
  const found = seen.map(({ path, status, loaded }) => {
    const has = (part: string) => loaded.some((url) => url.includes(part));
    const isHeavy = ["/@modelcontextprotocol/", "/zod/", "/http/senders/answer.ts", "/importers/senders/"].some(has);
    return [path, status, has("/src/http/management/management.ts") || has("/senders/receive.ts"), isHeavy];
  });
  assert.deepEqual(found, [
    ["/api/public/articles", 200, false, false],
    ["/api/management/me", 401, true, false],
    ["/mcp", 401, true, false],
    // The dashboard's thread has it.
    ["/mcp", 200, true, false],
    ["/senders/unknown", 401, true, false],
  ]);
});
