/**
 * `/assets/<website>/<hash>/<name>`: public, and cached for ever, as the hash names the content. Only the type found in
 * the file is declared, and a picture that is opened as a page can run nothing.
 */
import type { FastifyInstance, FastifyReply } from "fastify";
import { createReadStream } from "node:fs";
import { type Asset, ASSET_EXTENSIONS, type AssetType } from "../../domain/articles/assets/asset.ts";
import {
  chooseRendition,
  hasRenditions,
  type Rendition,
  type RenditionParameters,
} from "../../domain/articles/assets/rendition.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { OpenRendition } from "../../operations/system/deps.ts";
import { getRequestFacts, type RequestLog } from "../request.ts";

export interface AssetsOptions {
  /** The picture, and its file on this machine; undefined if there is none. */
  open: (websiteId: string, hash: string) => Promise<{ asset: Asset; path: string } | undefined>;
  openRendition: OpenRendition;
}

const IMMUTABLE = "public, max-age=31536000, immutable";
/** For the picture itself in the place of a form that could not be made for now. */
const BRIEF = "public, max-age=60";
/** An SVG may contain styles and pictures of its own. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";
const ID = /^[0-9a-f-]{36}$/;
const HASH = /^[0-9a-f]{64}$/;

interface ServedFile {
  path: string;
  type: AssetType;
  bytes: number;
  isLasting: boolean;
}

interface AssetRoute {
  Params: { website: string; hash: string; name: string };
  Querystring: Record<string, string | string[] | undefined>;
}

export function assetFileRoutes(
  app: FastifyInstance,
  { open, openRendition, log }: AssetsOptions & { log: Pick<RequestLog, "failed"> },
): void {
  app.get<AssetRoute>("/assets/:website/:hash/:name", async (request, reply) => {
    const { website, hash } = request.params;
    const found = ID.test(website) && HASH.test(hash) ? await open(website, hash) : undefined;
    if (found === undefined) return reply.callNotFound();
    const { asset, path } = found;
    const query = readQuery(request.query);
    const rendition = chooseRendition(asset, query, request.headers.accept ?? "");
    const etag = toEtag(hash, rendition);
    if (query.w !== undefined && query.format === undefined && hasRenditions(asset)) {
      void reply.header("Vary", "Accept");
    }
    if (request.headers["if-none-match"]?.includes(etag) === true) {
      return setHeaders(reply).header("Cache-Control", IMMUTABLE).header("ETag", etag).code(304).send();
    }
    const onFailed = (error: unknown) => log.failed(getRequestFacts(request.id, request.raw), error);
    const file = await openFile(asset, path, rendition, onFailed);
    if (file.isLasting) void reply.header("ETag", etag);
    void setHeaders(reply)
      .header("Cache-Control", file.isLasting ? IMMUTABLE : BRIEF)
      .type(file.type)
      .header("Content-Length", file.bytes)
      .header("Content-Disposition", contentDisposition(asset.name, file.type));
    return reply.send(createReadStream(file.path));
  });

  /** The form that is asked for, else the picture itself: larger than asked is better than none. */
  async function openFile(
    asset: Asset,
    path: string,
    rendition: Rendition | null,
    onFailed: (error: unknown) => void,
  ): Promise<ServedFile> {
    const itself = { path, type: asset.type, bytes: asset.bytes };
    if (rendition === null) return { ...itself, isLasting: true };
    try {
      const made = await openRendition(asset, path, rendition);
      return { ...(made ?? itself), isLasting: true };
    } catch (error) {
      // Such as a full disk.
      if (!(error instanceof AppError)) onFailed(error);
      return { ...itself, isLasting: false };
    }
  }
}

/** Of a parameter that is repeated, the first counts. */
function readQuery({ w, format }: AssetRoute["Querystring"]): RenditionParameters {
  return { w: Array.isArray(w) ? w[0] : w, format: Array.isArray(format) ? format[0] : format };
}

function toEtag(hash: string, rendition: Rendition | null): string {
  if (rendition === null) return `"${hash}"`;
  return `"${hash}-${rendition.width}-${rendition.type === null ? "any" : ASSET_EXTENSIONS[rendition.type]}"`;
}

function setHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    .header("Cross-Origin-Resource-Policy", "cross-origin")
    .header("X-Frame-Options", "DENY");
}

/** Names are slugs: they contain no quotes and no control characters. */
function contentDisposition(given: string, type: AssetType): string {
  const name = given.slice(0, given.lastIndexOf(".") + 1) + ASSET_EXTENSIONS[type];
  const isAscii = /^[\w.~-]+$/.test(name);
  return isAscii ? `inline; filename="${name}"` : `inline; filename*=UTF-8''${encodeURIComponent(name)}`;
}
