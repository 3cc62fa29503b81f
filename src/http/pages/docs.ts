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
interface Page {
  title: string;
  /** Of the link to it. */
  name: string;
  /** Where the description is. */
  url: string;
  guide: string;
  example: string;
}

/** By their addresses. */
const PAGES: Readonly<Record<"/docs" | "/docs/management", Page>> = {
  "/docs": {
    title: "Rostrum API",
    name: "Read API",
    url: "/api/public/openapi.json",
    guide: "docs/api.md",
    example: `<p>Each request but the last needs the header <code>X-API-Key</code> with a key of your website:</p>
<pre>curl -H 'X-API-Key: rs_…' \\
  '…/api/public/articles?limit=3'</pre>`,
  },
  "/docs/management": {
    title: "Rostrum management API",
    name: "Management API",
    url: "/api/management/openapi.json",
    guide: "docs/management-api.md",
    example: `<p>Each request needs an access token of your website:</p>
<pre>curl -H 'Authorization: Bearer rm_…' \\
  '…/api/management/articles?state=draft'</pre>`,
  },
};

/** No built-in feature of the viewer may call another host. */
const VIEWER_OPTIONS = {
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

function startViewer({ url }: Page): string {
  return `Scalar.createApiReference("#docs", ${JSON.stringify({ url, ...VIEWER_OPTIONS })});`;
}

/** The viewer adds its own style attributes and elements; everything else must come from this server. */
function contentSecurityPolicy(script: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash("sha256", script, "base64")}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

export interface DocsOptions {
  /** Of the read API. */
  description: () => Buffer;
  managementDescription: () => Buffer;
}

export function docsRoutes(app: FastifyInstance, { description, managementDescription }: DocsOptions): void {
  const viewer = lazily(async () => {
    const { br, gzip } = await loadViewer();
    return { br, gzip, etag: `W/"${hash("sha256", gzip, "base64url").slice(0, 22)}"` };
  });
  const unpacked = new Unpacked();
  const addPage = (address: keyof typeof PAGES, read: () => Buffer) => {
    const page = PAGES[address];
    const policy = contentSecurityPolicy(startViewer(page));
    let html: Buffer | undefined;
    const show = async (_request: FastifyRequest, reply: FastifyReply) => {
      html ??= Buffer.from(pageHtml(page, listOperations(read())));
      return reply
        .header("Content-Security-Policy", policy)
        .header("Cache-Control", "no-cache")
        .type("text/html; charset=utf-8")
        .send(html);
    };
    app.get(address, show);
    app.get(`${address}/`, show);
  };
  addPage("/docs", description);
  addPage("/docs/management", managementDescription);
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

function pageHtml(page: Page, operations: string): string {
  const { title, url, guide, example } = page;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${title}: its requests and answers.">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<nav>${Object.entries(PAGES)
    .map(([address, { name }]) => `<a href="${address}"${name === page.name ? ' aria-current="page"' : ""}>${name}</a>`)
    .join("")}</nav>
<div id="docs"></div>
<noscript>
<main>
<h1>${title}</h1>
<p>These pages need JavaScript. Without it, the whole description is at
<a href="${url}">${url}</a> as OpenAPI 3.1, for any tool that reads it, and the guide comes with the
source as <code>${guide}</code>.</p>
<ul>
${operations}
</ul>
${example}
</main>
</noscript>
<script src="${SCRIPT}"></script>
<script>${startViewer(page)}</script>
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
nav { display: flex; gap: 1.5rem; padding: 0.6rem 1.5rem; font: 0.9rem system-ui, sans-serif; }
nav a { color: var(--scalar-color-2, LinkText); }
nav [aria-current] { color: var(--scalar-color-1, inherit); font-weight: 600; text-decoration: none; }
noscript main { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem; font: 1rem/1.6 system-ui, sans-serif; }
noscript pre { overflow-x: auto; }
`;
