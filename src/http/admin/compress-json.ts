/** Compresses JSON that is worth it, off the event loop. Streams and files pass as they are. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseEncoding } from "../read-api/response-cache.ts";
import type { AdminServer } from "./routes.ts";

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Each response is compressed for one reader: a fast level. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

export function compressJson(app: AdminServer): void {
  app.addHook("onSend", async (request, reply, payload) => {
    const isText = typeof payload === "string" || Buffer.isBuffer(payload);
    if (!isText || reply.hasHeader("Content-Encoding")) return payload;
    if (!String(reply.getHeader("Content-Type")).startsWith("application/json")) return payload;
    const encoding = chooseEncoding(request.headers["accept-encoding"], Buffer.byteLength(payload));
    if (encoding === "identity") return payload;
    void reply.header("Content-Encoding", encoding).removeHeader("Content-Length");
    return encoding === "br"
      ? compressBrotli(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : compressGzip(payload, { level: GZIP_LEVEL });
  });
}
