/** The built dashboard, from memory once read. Every path without a file extension serves the single page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { VIDEO_HOSTS } from "../../domain/articles/content/html/schema.ts";
import { chooseEncoding } from "../request.ts";
import { Unpacked } from "./unpacked.ts";

/**
 * Mantine adds style elements, each with the nonce. Articles show images from any host, in frames without scripts. The editor
 * loads a video when it is asked to, from a host whose frames the publisher keeps.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'nonce-NONCE'",
  "img-src 'self' data: https: http:",
  "font-src 'self'",
  "connect-src 'self'",
  `frame-src 'self' ${[...VIDEO_HOSTS].map((host) => `https://${host}`).join(" ")}`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** The dashboard uses only passkeys and the clipboard. */
const PERMISSIONS_POLICY =
  "camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self), publickey-credentials-create=(self), publickey-credentials-get=(self)";

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};
/** For files whose names change with their content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Where the page carries the nonce for the style elements that its script adds. */
const NONCE_PLACE = '<meta name="csp-nonce" content="';

const NOT_BUILT =
  "The dashboard is not built here. Run this where Rostrum is installed, with its development packages (npm ci):\n\n" +
  "    npm run build\n\nThen load this page again; the service need not be restarted.\n";

export interface DashboardOptions {
  randomBytes: (size: number) => Buffer;
  /** What `npm run build` has made; a checkout may lack it. */
  folder: string;
}

export function dashboardRoutes(app: FastifyInstance, { randomBytes, folder }: DashboardOptions): void {
  const isBuilt = () => existsSync(join(folder, "index.html"));
  let loading: Promise<StaticAssets> | undefined;
  const load = () => {
    loading ??= loadAssets(folder).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const page = async (request: FastifyRequest<{ Params: { "*"?: string } }>, reply: FastifyReply) => {
    void reply.header("Cache-Control", "no-cache");
    if (loading === undefined && !isBuilt()) {
      return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
    }
    const { page, pages } = await load();
    const path = request.params["*"] ?? "";
    const preloads = pages.get(path) ?? pages.get(path.replace(/\/[^/]+/, "/*")) ?? "";
    const nonce = randomBytes(16).toString("base64");
    return reply
      .header("Content-Security-Policy", CONTENT_SECURITY_POLICY.replace("NONCE", nonce))
      .header("Permissions-Policy", PERMISSIONS_POLICY)
      .header("X-Frame-Options", "DENY")
      .type("text/html; charset=utf-8")
      .send(`${page.before}${nonce}${page.head}${preloads}${page.rest}`);
  };
  app.get("/", async (_request, reply) => reply.redirect(isBuilt() ? "/dashboard" : "/docs", 302));
  app.get("/dashboard", page);
  app.get<{ Params: { "*": string } }>("/dashboard/*", async (request, reply) => {
    const path = request.params["*"];
    if (path === "api") return reply.callNotFound();
    if (!path.slice(path.lastIndexOf("/") + 1).includes(".")) return page(request, reply);
    const file = isBuilt() || loading !== undefined ? (await load()).files.get(path) : undefined;
    return file === undefined ? reply.callNotFound() : sendFile(request, reply, file);
  });
}

const unpacked = new Unpacked();

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: File): Promise<FastifyReply> {
  const { etag, type, cacheControl, br, gzip, identity } = file;
  void reply.header("ETag", etag).header("Cache-Control", cacheControl).header("Vary", "Accept-Encoding");
  // An article is shown in a frame without an origin, which needs its style sheet. The files contain nothing secret.
  void reply.header("Cross-Origin-Resource-Policy", "cross-origin");
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  void reply.type(type);
  if (identity !== undefined) return reply.send(identity);
  const encoding = chooseEncoding(request.headers["accept-encoding"], Number.POSITIVE_INFINITY);
  if (encoding === "identity") return reply.send(await unpacked.of(gzip));
  return reply.header("Content-Encoding", encoding).send(encoding === "br" ? br : gzip);
}

interface StaticAssets {
  /** The page before the nonce, from there to the end of its head, and the rest. */
  page: { before: string; head: string; rest: string };
  /** Elements for a page's head, by its path below /dashboard/: they load its files together with the first ones. */
  pages: Map<string, string>;
  /** By their path below /dashboard/. Nothing else is served, whatever the request's path. */
  files: Map<string, File>;
}

/** Either the compressed forms, or, for a file that is small or already compressed, the file itself. */
type File = { etag: string; type: string; cacheControl: string } & (
  | { identity: Buffer; br?: never; gzip?: never }
  | { identity?: never; br: Buffer; gzip: Buffer }
);

async function loadAssets(folder: string): Promise<StaticAssets> {
  const html = await readFile(join(folder, "index.html"), "utf8");
  const at = html.indexOf(NONCE_PLACE) + NONCE_PLACE.length;
  if (at < NONCE_PLACE.length) throw new Error("the dashboard's page has no place for its nonce");
  const names = await readdir(folder, { recursive: true });
  const paths = names.map((name) => name.replaceAll(sep, "/"));
  const files = new Map<string, File>();
  for (const path of paths) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const identity = await readFile(join(folder, path));
    const isCompressed = paths.includes(`${path}.br`) && paths.includes(`${path}.gz`);
    files.set(path, {
      // Weak: it stands for every encoding.
      etag: `W/"${createHash("sha256").update(identity).digest("base64url").slice(0, 22)}"`,
      type,
      cacheControl: path.startsWith("assets/") ? IMMUTABLE : "no-cache",
      ...(isCompressed
        ? { br: await readFile(join(folder, `${path}.br`)), gzip: await readFile(join(folder, `${path}.gz`)) }
        : { identity }),
    });
  }
  const end = html.includes("</head>") ? html.indexOf("</head>") : html.length;
  const page = { before: html.slice(0, at), head: html.slice(at, end), rest: html.slice(end) };
  return { page, pages: await loadPages(folder), files };
}

/** Written by tools/build-dashboard.ts. */
async function loadPages(folder: string): Promise<Map<string, string>> {
  const path = join(folder, ".pages");
  if (!existsSync(path)) return new Map();
  const pages = JSON.parse(await readFile(path, "utf8")) as Record<string, string[]>;
  return new Map(Object.entries(pages).map(([name, files]) => [name, files.map(toElement).join("")]));
}

function toElement(file: string): string {
  const rel = file.endsWith(".css") ? "stylesheet" : "modulepreload";
  return `<link rel="${rel}" crossorigin href="/dashboard/${file}">`;
}
