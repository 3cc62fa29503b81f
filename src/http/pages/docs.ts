/** `/docs`: the viewer is a script of 4 MB, kept only compressed: from files of the package, else made by a thread. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Viewer } from "./docs-viewer.ts";
import { lazily } from "./fastify-server.ts";
import { chooseEncoding } from "../request.ts";
import { Unpacked } from "./unpacked.ts";

const SCRIPT = "/docs/viewer.js";
const DESCRIPTION = "/api/public/openapi.json";
const MANAGEMENT = "/api/management/openapi.json";

/** No built-in feature of the viewer may call another host. */
const VIEWER_OPTIONS = {
  sources: [
    { title: "Read API", slug: "read", url: DESCRIPTION },
    { title: "Management API", slug: "management", url: MANAGEMENT },
  ],
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "json",
  defaultOpenAllTags: true,
  // Every schema is shown where it is used.
  hideModels: true,
  orderSchemaPropertiesBy: "preserve",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
};

const START_VIEWER = `Scalar.createApiReference("#docs", ${JSON.stringify(VIEWER_OPTIONS)});`;

/** The viewer adds its own style attributes and elements; everything else must come from this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hash("sha256", START_VIEWER, "base64")}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface DocsOptions {
  description: () => Buffer;
}

export function docsRoutes(app: FastifyInstance, { description }: DocsOptions): void {
  const viewer = lazily(async () => {
    const { br, gzip } = await loadViewer();
    return { br, gzip, etag: `W/"${hash("sha256", gzip, "base64url").slice(0, 22)}"` };
  });
  const unpacked = new Unpacked();
  let html: Buffer | undefined;
  const page = async (_request: FastifyRequest, reply: FastifyReply) => {
    html ??= Buffer.from(pageHtml(listOperations(description())));
    return reply
      .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
      .header("Cache-Control", "no-cache")
      .type("text/html; charset=utf-8")
      .send(html);
  };
  app.get("/docs", page);
  app.get("/docs/", page);
  app.get(SCRIPT, async (request, reply) => {
    const { etag, br, gzip } = await viewer();
    void reply.header("ETag", etag).header("Cache-Control", "public, max-age=3600").header("Vary", "Accept-Encoding");
    if (request.headers["if-none-match"] === etag) return reply.code(304).send();
    void reply.type("text/javascript; charset=utf-8");
    const encoding = chooseEncoding(request.headers["accept-encoding"], gzip.length);
    if (encoding === "identity") return reply.send(await unpacked.of(gzip));
    return reply.header("Content-Encoding", encoding).send(encoding === "br" ? br : gzip);
  });
}

/** In a package: the output of `makeViewer` at build time, without the extension. */
const PACKED = join(import.meta.dirname, "docs-viewer");

async function loadViewer(): Promise<Viewer> {
  if (!existsSync(`${PACKED}.br`)) return makeViewer();
  const [br, gzip] = await Promise.all([readFile(`${PACKED}.br`), readFile(`${PACKED}.gz`)]);
  return { br, gzip };
}

export function makeViewer(): Promise<Viewer> {
  const { promise, resolve, reject } = Promise.withResolvers<Viewer>();
  const worker = new Worker(new URL("docs-viewer.ts", import.meta.url));
  worker.once("message", ({ br, gzip }: Record<keyof Viewer, Uint8Array>) => {
    resolve({ br: Buffer.from(br), gzip: Buffer.from(gzip) });
  });
  worker.once("error", reject);
  worker.once("exit", () => reject(new Error("the documentation's viewer could not be loaded")));
  return promise;
}

/** The operations as HTML list items, for readers without JavaScript. */
function listOperations(description: Buffer): string {
  // The description is our own file, and test/contract checks its shape.
  const { paths = {} } = JSON.parse(description.toString()) as {
    paths?: Record<string, Record<string, { summary: string }>>;
  };
  return Object.entries(paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, { summary }]) =>
          `<li><code>${method.toUpperCase()} ${escaped(path)}</code>: ${escaped(summary)}</li>`,
      ),
    )
    .join("\n");
}

function pageHtml(operations: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Rostrum API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="How to read articles and events from this service.">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<div id="docs"></div>
<noscript>
<main>
<h1>Rostrum API</h1>
<p>These pages need JavaScript. Without it, the whole description is at
<a href="${DESCRIPTION}">${DESCRIPTION}</a> as OpenAPI 3.1, for any tool that reads it, and the guide comes with the
source as <code>docs/api.md</code>. That of the management API, for whoever writes articles, is at
<a href="${MANAGEMENT}">${MANAGEMENT}</a>, with <code>docs/management-api.md</code>.</p>
<ul>
${operations}
</ul>
<p>Each request but the last needs the header <code>X-API-Key</code> with a key of your website:</p>
<pre>curl -H 'X-API-Key: rs_…' \\
  '…/api/public/articles?limit=3'</pre>
</main>
</noscript>
<script src="${SCRIPT}"></script>
<script>${START_VIEWER}</script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const STYLE = `
:root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }
body { margin: 0; }
noscript main { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem; font: 1rem/1.6 system-ui, sans-serif; }
noscript pre { overflow-x: auto; }
`;
