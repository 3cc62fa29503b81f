import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { test } from "node:test";
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
      /^node:(?:http|util|zlib)$|\/operations\/articles\/write\/articles\.ts|\/operations\/website\/retention\.ts|typebox|\/http\/contract\/|@scalar|\/node_modules\/(?:fastify|ajv|nodemailer|undici|prom-client|pg|otpauth|parse5)\//.test(
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

test("a server loads no compiler of schemas before the first request to the API of the dashboard", () => {
  const service = pathToFileURL(join(ROOT, "test", "helpers", "service.ts")).href;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", START, service], {
    encoding: "utf8",
  });
  const loaded = JSON.parse(output) as string[];
  assert.ok(loaded.some((url) => url.includes("/fastify/")));
  assert.deepEqual(
    loaded.filter((url) => /\/node_modules\/(ajv|@fastify\/(ajv|fast-json-stringify)-compiler)\//.test(url)),
    [],
  );
});
