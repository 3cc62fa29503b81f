/** Pictures of articles. An upload's body is the file itself: `POST assets?website_id=…&name=kettle.jpg&alt=…`. */
import type { FastifyRequest } from "fastify";
import { type Asset, assetPath, MAX_ASSET_BYTES } from "../../../domain/articles/assets/asset.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { isoTime } from "../../../domain/system/time.ts";
import type { Website } from "../../../domain/system/website.ts";
import { type AssetUse, AssetUses } from "../../../operations/articles/assets/asset-uses.ts";
import {
  addAsset,
  assetUrl,
  changeAlt,
  deleteAsset,
  deleteUnused,
  listFiltered,
  listLibrary,
  matchesWords,
  readAsset,
} from "../../../operations/articles/assets/assets.ts";
import { copyFromAddress } from "../../../operations/articles/assets/copy-pictures.ts";
import { replaceAsset } from "../../../operations/articles/assets/replace-asset.ts";
import { readWebsite } from "../../../operations/website/websites.ts";
import type { AssetCursor } from "../../../store/articles/assets.ts";
import { getBaseUrl } from "../../connection/proxies.ts";
import { OperationLimits } from "../concurrency-limit.ts";
import {
  asset,
  assetChange,
  assetDeletion,
  assetFromAddress,
  assetPage,
  assetReplaced,
  assetReplacement,
  assetsParameters,
  assetUpload,
  unusedAssetsDeleted,
  unusedAssetsDeletion,
} from "../contract/assets.ts";
import { idParams } from "../contract/session.ts";
import type { AdminOptions } from "../admin-options.ts";
import { closeWhenIdle } from "../idle-timeout.ts";
import { type Admin, type AdminServer, getActor, getOrigin, getSignedIn } from "../routes.ts";
import { receiveFile } from "./upload.ts";

const LIMITS = { perPerson: 6, perWebsite: 8, atOnce: 32 };
const REPLACEMENTS = { perPerson: 1, perWebsite: 2, atOnce: 4 };
const PAGE = 48;

export function assetRoutes(app: AdminServer, admin: Admin, { uploads }: Pick<AdminOptions, "uploads">): void {
  const { deps } = admin;
  const limits = new OperationLimits({ what: "uploads of pictures", ...LIMITS });
  const replacements = new OperationLimits({ what: "replacements of pictures", ...REPLACEMENTS });
  const uses = new AssetUses(deps);
  app.get(
    "/assets",
    {
      config: { access: { may: "articles.read", on: "named" } },
      schema: { querystring: assetsParameters, response: { 200: assetPage } },
    },
    async (request) => {
      const { website_id: id, cursor, unused, q = "" } = request.query;
      const website = await readWebsite(deps, id);
      const before = parseCursor(cursor);
      const filters = [
        ...(q.trim() === "" ? [] : [matchesWords(q)]),
        ...(unused === "true" ? [(some: readonly Asset[]) => uses.filterUnused(id, some)] : []),
      ];
      const { assets, next } =
        filters.length > 0
          ? await listFiltered(deps, id, filters, before, PAGE)
          : await listLibrary(deps, id, before, PAGE);
      const hashes = assets.map(({ hash }) => hash);
      const usedIn = await uses.find(id, hashes);
      return {
        assets: assets.map((one) => {
          const { count = 0, articles = [], isInUnsavedText = false } = usedIn.get(one.hash) ?? {};
          const used = {
            used_in: articles.map(presentUse),
            use_count: count,
            is_in_unsaved_text: isInUnsavedText,
          };
          return Object.assign(present(admin, request, website, one), used);
        }),
        next: next === null ? null : `${next.createdAt}.${next.id}`,
        unused_count: before === null ? await uses.countUnused(id) : null,
      };
    },
  );

  app.patch(
    "/assets/:id",
    {
      config: { access: { may: "articles.edit", on: "picture" }, isRepeatable: true },
      schema: { params: idParams, body: assetChange, response: { 200: asset } },
    },
    async (request) => {
      const found = await readAsset(deps, request.params.id);
      const changed = await changeAlt(deps, found, request.body.alt, getOrigin(admin, request));
      return present(admin, request, await readWebsite(deps, found.websiteId), changed);
    },
  );

  app.post(
    "/assets/delete-unused",
    {
      config: { access: { may: "articles.delete", on: "named" } },
      schema: { body: unusedAssetsDeletion, response: { 200: unusedAssetsDeleted } },
    },
    async (request) => {
      const { website_id: id, ids } = request.body;
      const { deleted, used } = await deleteUnused(deps, uses, id, ids, getOrigin(admin, request));
      return { deleted: deleted.map(presentName), used: used.map(presentName) };
    },
  );

  app.post(
    "/assets/:id/replace",
    {
      config: { access: { may: "articles.edit", on: "picture" } },
      schema: { params: idParams, body: assetReplacement, response: { 200: assetReplaced } },
    },
    async (request) => {
      const old = await readAsset(deps, request.params.id);
      const by = await readAsset(deps, request.body.by);
      using _slot = replacements.begin(getSignedIn(request).id, old.websiteId);
      const { changed, left } = await replaceAsset(deps, uses, old, by, getActor(admin, request));
      return {
        changed: changed.map(({ id, title, isDrafted }) => ({ id, title, is_drafted: isDrafted })),
        left,
      };
    },
  );

  app.delete(
    "/assets/:id",
    {
      config: { access: { may: "articles.delete", on: "picture" } },
      schema: { params: idParams, querystring: assetDeletion },
    },
    async (request, reply) => {
      const found = await readAsset(deps, request.params.id);
      if (request.query.even_if_used !== "true") await assertUnused(uses, found);
      await deleteAsset(deps, found, getOrigin(admin, request));
      return reply.code(204).send();
    },
  );

  app.post(
    "/assets/from-address",
    {
      config: { access: { may: "articles.edit", on: "named" } },
      schema: { body: assetFromAddress, response: { 200: asset } },
    },
    async (request) => {
      const { website_id: id, url, alt = "" } = request.body;
      const website = await readWebsite(deps, id);
      using _slot = limits.begin(getSignedIn(request).id, id);
      const base = getBaseUrl(request.raw, admin.publicUrl);
      const source = { website, base, origin: getOrigin(admin, request) };
      return present(admin, request, website, await copyFromAddress(deps, url, alt, source));
    },
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
        using _slot = limits.begin(getSignedIn(request).id, id);
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

/** @throws AppError `conflict`. */
async function assertUnused(uses: AssetUses, { websiteId, hash }: Asset): Promise<void> {
  const { count = 0, isInUnsavedText = false } = (await uses.find(websiteId, [hash])).get(hash) ?? {};
  if (count === 0 && isInUnsavedText) {
    throw new AppError("conflict", "A text that somebody has not saved yet, or a held change, uses this picture.");
  }
  if (count === 0) return;
  throw new AppError(
    "conflict",
    `${count === 1 ? "An article uses" : `${count} articles use`} this picture: readers would no longer see it there.`,
  );
}

/** @throws AppError `invalid`. */
function parseCursor(cursor: string | undefined): AssetCursor | null {
  if (cursor === undefined) return null;
  const [, createdAt, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (id !== undefined) return { createdAt: Number(createdAt), id };
  throw new AppError("invalid", "cursor must be the value of `next` in the page before.", { field: "cursor" });
}

function presentName({ id, name }: Asset) {
  return { id, name };
}

function presentUse({ id, title, isInTrash }: AssetUse) {
  return { id, title, is_in_trash: isInTrash };
}

function present({ publicUrl }: Admin, { raw }: FastifyRequest, website: Website, found: Asset) {
  return {
    id: found.id,
    url: assetUrl(found, website, getBaseUrl(raw, publicUrl)),
    path: assetPath(found),
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
