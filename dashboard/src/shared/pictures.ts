/** Requests for the website's pictures. */
import { infiniteQueryOptions, keepPreviousData, type QueryClient } from "@tanstack/react-query";
import type { Asset, AssetPage } from "../../../src/http/admin/contract/assets.ts";
import { apiPath, get, patch, post } from "../api/client.ts";
import { sendFile } from "../api/upload.ts";

export const ACCEPTED = "image/png,image/jpeg,image/webp,image/avif,image/gif,image/svg+xml";

export type Picture = AssetPage["assets"][number];

interface PictureFilter {
  /** Words of the name or the alternative text, or a picture's address. */
  search?: string;
  isUnused?: boolean;
}

export function picturesQuery(websiteId: string, { search = "", isUnused = false }: PictureFilter = {}) {
  return infiniteQueryOptions({
    queryKey: ["assets", websiteId, isUnused, search],
    queryFn: ({ signal, pageParam }) =>
      get<AssetPage>("/assets", {
        query: {
          website_id: websiteId,
          cursor: pageParam,
          unused: isUnused ? "true" : undefined,
          q: search === "" ? undefined : search,
        },
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

interface UploadOptions {
  signal?: AbortSignal;
  onProgress?: (part: number) => void;
}

const NEVER = new AbortController().signal;

export function uploadPicture(
  websiteId: string,
  file: File,
  { signal = NEVER, onProgress = () => undefined }: UploadOptions = {},
): Promise<Asset> {
  return sendFile<Asset>("/assets", file, { query: { website_id: websiteId, name: file.name }, signal, onProgress });
}

/** Has the service fetch a picture from the web and keep it. */
export function copyPicture(websiteId: string, url: string): Promise<Asset> {
  return post<Asset>("/assets/from-address", { body: { website_id: websiteId, url } });
}

export function saveAlt(id: string, alt: string): Promise<Asset> {
  return patch<Asset>(apiPath`/assets/${id}`, { body: { alt } });
}
