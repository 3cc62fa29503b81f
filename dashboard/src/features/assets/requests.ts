import type { AssetReplaced, UnusedAssetsDeleted } from "../../../../src/http/admin/contract/assets.ts";
import { apiPath, del, post } from "../../api/client.ts";
import { type Picture, uploadPicture } from "../../shared/pictures.ts";

const MAX_AT_ONCE = 1_000;

export function isUsed({ use_count: count, is_in_unsaved_text: isInUnsavedText }: Picture): boolean {
  return count > 0 || isInUnsavedText;
}

export function deletePicture(picture: Picture): Promise<void> {
  return del(apiPath`/assets/${picture.id}`, { query: { even_if_used: isUsed(picture) ? "true" : undefined } });
}

/** Uploads the file, and replaces the picture by it in the articles. */
export async function replacePicture({ id }: Picture, websiteId: string, file: File): Promise<AssetReplaced> {
  const { id: by } = await uploadPicture(websiteId, file);
  return post<AssetReplaced>(apiPath`/assets/${id}/replace`, { body: { by } });
}

/** Those that are used by now stay. */
export async function deleteUnused(websiteId: string, ids: readonly string[]): Promise<UnusedAssetsDeleted> {
  const all: UnusedAssetsDeleted = { deleted: [], used: [] };
  for (let from = 0; from < ids.length; from += MAX_AT_ONCE) {
    const body = { website_id: websiteId, ids: ids.slice(from, from + MAX_AT_ONCE) };
    const { deleted, used } = await post<UnusedAssetsDeleted>("/assets/delete-unused", { body });
    all.deleted.push(...deleted);
    all.used.push(...used);
  }
  return all;
}
