import { queryOptions } from "@tanstack/react-query";
import type {
  AccessToken,
  AccessTokenInput,
  AccessTokenList,
  AccessTokenMade,
} from "../../../../src/http/admin/contract/access-tokens.ts";
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

export function tokensQuery(websiteId: string) {
  return queryOptions({
    queryKey: ["keys", websiteId, "tokens"],
    queryFn: ({ signal }) => get<AccessTokenList>("/access-tokens", { query: { website_id: websiteId }, signal }),
  });
}

export function createToken(input: AccessTokenInput): Promise<AccessTokenMade> {
  return post<AccessTokenMade>("/access-tokens", { body: input });
}

export function revokeToken(id: string): Promise<AccessToken> {
  return post<AccessToken>(apiPath`/access-tokens/${id}/revoke`);
}
