/**
 * `/docs`: the description as pages to read. The viewer is one script of 3.5 MB, so it is loaded when somebody first
 * opens the page, not when the service starts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** The viewer styles itself from its script; everything else comes from here or not at all. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'nonce-NONCE'",
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
  randomBytes: (size: number) => Buffer;
}

export function docsRoutes(app: FastifyInstance, options: DocsOptions): void {
  let viewer: Promise<FastifyInstance> | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    viewer ??= loadViewer(options.description);
    const answer = await (await viewer).inject({ method: "GET", url: request.url });
    const type = String(answer.headers["content-type"] ?? "text/plain");
    const location = answer.headers["location"];
    if (typeof location === "string") return reply.redirect(location, 302);
    void reply.code(answer.statusCode).header("Content-Type", type);
    if (!type.startsWith("text/html"))
      return reply.header("Cache-Control", "public, max-age=3600").send(answer.rawPayload);
    const nonce = options.randomBytes(16).toString("base64");
    return reply
      .header("Content-Security-Policy", CONTENT_SECURITY_POLICY.replace("NONCE", nonce))
      .header("Cache-Control", "no-cache")
      .send(answer.payload.replaceAll(/<script(?=[\s>])/g, `<script nonce="${nonce}"`));
  };
  app.get("/docs", serve);
  app.get("/docs/*", serve);
}

async function loadViewer(description: () => Buffer): Promise<FastifyInstance> {
  const [{ default: fastify }, { default: scalar }] = await Promise.all([
    import("fastify"),
    import("@scalar/fastify-api-reference"),
  ]);
  const viewer = fastify();
  await viewer.register(scalar, {
    routePrefix: "/docs",
    configuration: {
      content: description().toString(),
      pageTitle: "Rostrum API",
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      documentDownloadType: "json",
    },
  });
  await viewer.ready();
  return viewer;
}
