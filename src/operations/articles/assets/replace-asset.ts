/** Replaces a picture in the articles that use it: each gets the other picture's address by an ordinary edit. */
import type { ArticleInput } from "../../../domain/articles/article.ts";
import { type Asset, assetPath } from "../../../domain/articles/assets/asset.ts";
import { mergeChanges, writtenInput } from "../../../domain/articles/composition.ts";
import { AppError, isUnavailable } from "../../../domain/system/errors.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { makeEdit } from "../write/article-changes.ts";
import { loadReviewed, type Reviewed } from "../review/article-review.ts";
import type { AssetUse, AssetUses } from "./asset-uses.ts";

const MAX_ARTICLES = 500;
/** The path of a picture, without a full stop after it. */
const ADDRESS = /\/assets\/([0-9a-f-]{36})\/([0-9a-f]{64})\/[\w%~-]+(?:\.[\w%~-]+)*/g;

export interface Replaced {
  /** Articles that have the other picture now; `isDrafted`: in a draft copy, because the article is published. */
  changed: (Pick<AssetUse, "id" | "title"> & { isDrafted: boolean })[];
  /** Articles that still have the old one. */
  left: (Pick<AssetUse, "id" | "title"> & { reason: string })[];
}

/** @throws AppError `invalid` for a picture of another website, for the same one, or if too many articles use it. */
export async function replaceAsset(
  deps: Pick<Deps, "store" | "clock" | "newId" | "deriveContent">,
  uses: AssetUses,
  old: Asset,
  by: Asset,
  actor: Actor,
): Promise<Replaced> {
  if (old.id === by.id) throw new AppError("invalid", "This is the same picture. Choose another one.", { field: "by" });
  if (old.websiteId !== by.websiteId) {
    throw new AppError("invalid", "The other picture belongs to another website.", { field: "by" });
  }
  const articles = await uses.listUsing(old.websiteId, old.hash);
  if (articles.length > MAX_ARTICLES) {
    throw new AppError("invalid", `More than ${MAX_ARTICLES} articles use this picture: too many to replace it in.`);
  }
  const bulk = { ...actor, bulkId: deps.newId() };
  const result: Replaced = { changed: [], left: [] };
  for (const { id, title, isInTrash } of articles) {
    if (isInTrash) {
      result.left.push({ id, title, reason: "It is in the trash." });
      continue;
    }
    try {
      const isDrafted = await replaceIn(deps, id, old, by, bulk);
      if (isDrafted === undefined) {
        result.left.push({ id, title, reason: "Its draft copy no longer has the picture." });
      } else result.changed.push({ id, title, isDrafted });
    } catch (error) {
      if (!(error instanceof AppError) || isUnavailable(error)) throw error;
      result.left.push({ id, title, reason: error.message });
    }
  }
  return result;
}

/** @returns whether the change is in a draft copy; undefined if there is nothing to change. */
async function replaceIn(
  deps: Pick<Deps, "store" | "clock" | "newId" | "deriveContent">,
  id: string,
  old: Asset,
  by: Asset,
  actor: Actor,
): Promise<boolean | undefined> {
  const reviewed = await deps.store.read((db) => loadReviewed(db, id));
  const changes = findChanges(reviewed, old, by);
  if (Object.keys(changes).length === 0) return undefined;
  const { article } = reviewed.full;
  const seen = { version: article.version, draftSavedAt: reviewed.draft?.savedAt ?? null };
  await makeEdit(deps, id, { changes, seen, asDraft: true, acceptLoss: true }, actor);
  return article.status === "published";
}

function findChanges({ full, draft }: Reviewed, old: Asset, by: Asset): ArticleInput {
  const { content, markdown, featuredImageUrl } = mergeChanges(writtenInput(full), draft?.changes ?? {});
  const isMarkdown = markdown !== undefined && (content === undefined || full.body.source === "markdown");
  const written = { ...(isMarkdown ? { markdown } : { content }), featuredImageUrl };
  const changes: Record<string, string> = {};
  for (const [field, text] of Object.entries(written)) {
    const replaced = text == null ? text : replaceAddress(text, old, by);
    if (replaced != null && replaced !== text) changes[field] = replaced;
  }
  return changes;
}

/** Keeps the host and a width that an address may have. */
function replaceAddress(text: string, old: Asset, by: Asset): string {
  return text.replace(ADDRESS, (path, websiteId, hash) =>
    websiteId === old.websiteId && hash === old.hash ? assetPath(by) : path,
  );
}
