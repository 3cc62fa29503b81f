/** `/feeds/<website>/…`: feeds, sitemaps and llms.txt of the websites that have them turned on, for everybody. */
import type { FastifyInstance } from "fastify";
import type { FeedFile } from "../../operations/articles/lists/feeds.ts";
import { acceptsGzip } from "../request.ts";

const { createGunzip } = process.getBuiltinModule("node:zlib");

export interface FeedRoutesOptions {
  read: (websiteId: string, name: string) => Promise<FeedFile | undefined>;
}

/** A cache keeps the file and asks each time whether it has changed. */
const CACHE_CONTROL = "public, no-cache";

export function feedRoutes(app: FastifyInstance, { read }: FeedRoutesOptions): void {
  app.get<{ Params: { website: string; "*": string } }>("/feeds/:website/*", async (request, reply) => {
    const { website, "*": name } = request.params;
    const file = await read(website, name);
    if (file === undefined) return reply.callNotFound();
    void reply.header("Cache-Control", CACHE_CONTROL).header("ETag", file.etag).header("Vary", "Accept-Encoding");
    if (request.headers["if-none-match"]?.includes(file.etag) === true) return reply.code(304).send();
    void reply.type(file.type);
    if (acceptsGzip(request.headers["accept-encoding"])) {
      return reply.header("Content-Encoding", "gzip").send(file.gzip);
    }
    // Piece by piece: a small file may unpack to megabytes.
    const unpacked = createGunzip();
    unpacked.end(file.gzip);
    return reply.send(unpacked);
  });
}
