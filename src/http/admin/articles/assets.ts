/**
 * Pictures of articles. The body of an upload is the file itself: `POST assets?website_id=…&name=kettle.jpg&alt=…` with the
 * content type `application/octet-stream`.
 */
import type { FastifyRequest } from "fastify";
import { type Asset, MAX_ASSET_BYTES } from "../../../domain/articles/assets/asset.ts";
import { isoTime } from "../../../domain/system/time.ts";
import type { Website } from "../../../domain/system/website.ts";
import { addAsset, assetUrl } from "../../../operations/articles/assets.ts";
import { readWebsite } from "../../../operations/system/websites.ts";
import { getBaseUrl } from "../client-address.ts";
import { ConcurrencyLimit } from "../concurrency-limit.ts";
import { asset, assetUpload } from "../contract/assets.ts";
import type { AdminOptions } from "../admin-options.ts";
import { closeWhenIdle } from "../idle-timeout.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";
import { receiveFile } from "./upload.ts";

const MAX_AT_ONCE = 16;

export function assetRoutes(app: AdminServer, admin: Admin, { uploads }: Pick<AdminOptions, "uploads">): void {
  const { deps } = admin;
  const places = new ConcurrencyLimit(
    MAX_AT_ONCE,
    "Other pictures are being uploaded to this server; wait until one of them is there, then try again.",
  );
  void app.register(async (files: AdminServer) => {
    files.addContentTypeParser("application/octet-stream", (_request, body, done) => done(null, body));
    files.post(
      "/assets",
      {
        config: { access: { may: "articles.edit", on: "named" }, takes: "file" },
        schema: { querystring: assetUpload, response: { 200: asset } },
      },
      async (request, reply) => {
        const { website_id: id, name, alt = "" } = request.query;
        const website = await readWebsite(deps, id);
        using _place = places.begin();
        uploads.add(request.raw.socket);
        closeWhenIdle(reply);
        try {
          const file = await receiveFile(request.raw, MAX_ASSET_BYTES, "make it smaller");
          try {
            const added = await addAsset(deps, id, { path: file.path, name, alt }, getOrigin(admin, request));
            return present(admin, request, website, added);
          } finally {
            await file.remove();
          }
        } finally {
          uploads.delete(request.raw.socket);
        }
      },
    );
  });
}

function present({ publicUrl }: Admin, { raw }: FastifyRequest, website: Website, found: Asset) {
  return {
    id: found.id,
    url: assetUrl(found, website, getBaseUrl(raw, publicUrl)),
    name: found.name,
    type: found.type,
    bytes: found.bytes,
    width: found.width,
    height: found.height,
    alt: found.alt,
    source_url: found.sourceUrl,
    created_at: isoTime(found.createdAt),
  };
}
