import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Asset, AssetPage } from "../../../../src/http/admin/contract/assets.ts";
import { at, del, fetchRaw, get, patch } from "../../api/client.ts";

export type Picture = AssetPage["assets"][number];

export function picturesQuery(websiteId: string) {
  return infiniteQueryOptions({
    queryKey: ["assets", websiteId],
    queryFn: ({ signal, pageParam }) =>
      get<AssetPage>("/assets", { query: { website_id: websiteId, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

export async function uploadPicture(websiteId: string, file: File): Promise<Asset> {
  const init = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
  const response = await fetchRaw("/assets", init, { website_id: websiteId, name: file.name });
  return (await response.json()) as Asset;
}

export function saveAlt(id: string, alt: string): Promise<Asset> {
  return patch<Asset>(at`/assets/${id}`, { body: { alt } });
}

export function deletePicture({ id, use_count }: Picture): Promise<void> {
  return del(at`/assets/${id}`, { query: { even_if_used: use_count > 0 ? "true" : undefined } });
}
