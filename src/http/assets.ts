/**
 * `/assets/<website>/<hash>/<name>`: pictures of articles, public to all who know the URL. The hash identifies the content, so
 * responses may be cached for ever. Only the type found in the file is declared, and a picture that is opened as a page can run
 * nothing.
 */
import type { FastifyInstance } from "fastify";
import { createReadStream } from "node:fs";
import type { Asset } from "../domain/articles/assets/asset.ts";

export interface AssetsOptions {
  /** The picture, and its file on this machine; undefined if there is none. */
  open: (websiteId: string, hash: string) => Promise<{ asset: Asset; path: string } | undefined>;
}

const IMMUTABLE = "public, max-age=31536000, immutable";
/** An SVG may contain inline styles and pictures. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";
const ID = /^[0-9a-f-]{36}$/;
const HASH = /^[0-9a-f]{64}$/;

export function assetRoutes(app: FastifyInstance, { open }: AssetsOptions): void {
  app.get<{ Params: { website: string; hash: string; name: string } }>(
    "/assets/:website/:hash/:name",
    async (request, reply) => {
      const { website, hash } = request.params;
      const found = ID.test(website) && HASH.test(hash) ? await open(website, hash) : undefined;
      if (found === undefined) return reply.callNotFound();
      const { asset, path } = found;
      const etag = `"${hash}"`;
      void reply
        .header("Cache-Control", IMMUTABLE)
        .header("ETag", etag)
        .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .header("Cross-Origin-Resource-Policy", "cross-origin")
        .header("X-Frame-Options", "DENY");
      if (request.headers["if-none-match"]?.includes(etag) === true) return reply.code(304).send();
      void reply
        .type(asset.type)
        .header("Content-Length", asset.bytes)
        .header("Content-Disposition", contentDisposition(asset.name));
      return reply.send(createReadStream(path));
    },
  );
}

/** Names are slugs, without quotes and control characters. */
function contentDisposition(name: string): string {
  const isAscii = /^[\w.~-]+$/.test(name);
  return isAscii ? `inline; filename="${name}"` : `inline; filename*=UTF-8''${encodeURIComponent(name)}`;
}
