import { queryOptions } from "@tanstack/react-query";
import type { MemberList } from "../../../../src/http/admin/contract/members.ts";
import { get } from "../../api/client.ts";

/** Key prefix of all queries about members. */
export const MEMBERS_KEY = ["members"] as const;

/** Members of the website and of all websites; null: all memberships. */
export function membersQuery(websiteId: string | null) {
  return queryOptions({
    queryKey: [...MEMBERS_KEY, websiteId],
    queryFn: ({ signal }) => get<MemberList>("/members", { query: { website_id: websiteId }, signal }),
  });
}
