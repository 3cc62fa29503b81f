import { infiniteQueryOptions, keepPreviousData, type QueryClient } from "@tanstack/react-query";
import type {
  Asset,
  AssetPage,
  AssetReplaced,
  UnusedAssetsDeleted,
} from "../../../../src/http/admin/contract/assets.ts";
import { apiPath, del, fetchRaw, get, patch, post } from "../../api/client.ts";

export const ACCEPTED = "image/png,image/jpeg,image/webp,image/avif,image/gif,image/svg+xml";
const MAX_AT_ONCE = 1_000;

export type Picture = AssetPage["assets"][number];

export function picturesQuery(websiteId: string, isUnused: boolean) {
  return infiniteQueryOptions({
    queryKey: ["assets", websiteId, isUnused],
    queryFn: ({ signal, pageParam }) =>
      get<AssetPage>("/assets", {
        query: { website_id: websiteId, cursor: pageParam, unused: isUnused ? "true" : undefined },
        signal,
      }),
    // Keep what is on the screen until the other pictures arrive.
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

/** Loads the pictures anew, and forgets the other lists: they name deleted ones. */
export function refreshPictures(client: QueryClient, websiteId: string): Promise<void> {
  const queryKey = ["assets", websiteId];
  client.removeQueries({ queryKey, type: "inactive" });
  return client.invalidateQueries({ queryKey });
}

export async function uploadPicture(websiteId: string, file: File): Promise<Asset> {
  const init = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
  const response = await fetchRaw("/assets", init, { website_id: websiteId, name: file.name });
  return (await response.json()) as Asset;
}

export function saveAlt(id: string, alt: string): Promise<Asset> {
  return patch<Asset>(apiPath`/assets/${id}`, { body: { alt } });
}

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
