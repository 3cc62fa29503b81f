import { queryOptions } from "@tanstack/react-query";
import type { ApiKey, ApiKeyInput, ApiKeyList, ApiKeyMade } from "../../../../src/http/admin/contract/api-keys.ts";
import { apiPath, get, post } from "../../api/client.ts";

export function keysQuery(websiteId: string) {
  return queryOptions({
    queryKey: ["keys", websiteId],
    queryFn: ({ signal }) => get<ApiKeyList>("/api-keys", { query: { website_id: websiteId }, signal }),
  });
}

export function createKey(input: ApiKeyInput): Promise<ApiKeyMade> {
  return post<ApiKeyMade>("/api-keys", { body: input });
}

export function revokeKey(id: string): Promise<ApiKey> {
  return post<ApiKey>(apiPath`/api-keys/${id}/revoke`);
}
