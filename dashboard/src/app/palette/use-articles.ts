/**
 * Finds articles while the user types, the best titles first. The service finds words in the full text, in every state and on
 * all websites; unfinished words are matched with the titles of the most recently changed articles.
 */
import { keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ArticleListItem, ArticlePage } from "../../../../src/http/admin/contract/articles.ts";
import { get } from "../../api/client.ts";
import { useSession, useWebsiteOrNull } from "../../shared/session.tsx";
import { type Entry, matchesWords, rankTitle } from "./entries.ts";

/** Maximum number of other websites to search. */
const MAX_OTHER_WEBSITES = 24;
const MAX_SHOWN = 10;
const MAX_PER_OTHER = 3;
const RECENT = 100;

function findQuery(websiteId: string, view: "all" | "trash", q: string) {
  const query = { website_id: websiteId, view, q, limit: MAX_SHOWN };
  return queryOptions({
    queryKey: ["articles", websiteId, "find", query],
    queryFn: ({ signal }) => get<ArticlePage>("/articles", { query, signal }),
    placeholderData: keepPreviousData,
  });
}

function recentQuery(websiteId: string) {
  const query = { website_id: websiteId, view: "all", sort: "-updated_at", limit: RECENT };
  return queryOptions({
    queryKey: ["articles", websiteId, "list", query],
    queryFn: ({ signal }) => get<ArticlePage>("/articles", { query, signal }),
  });
}

/** `wanted`: the typed text, once typing pauses. */
export function useArticles(
  wanted: string,
  typed: string,
): { entries: Entry[]; hasSame: boolean; isSearching: boolean; note: string | null } {
  const website = useWebsiteOrNull();
  const { websites } = useSession();
  const navigate = useNavigate();
  const mayRead = website !== null && !website.needsSecondFactor;
  const isWanted = mayRead && /[\p{L}\p{N}]/u.test(wanted);
  const others = websites.filter(({ id, needs_second_factor }) => id !== website?.id && !needs_second_factor);
  const searched = others.slice(0, MAX_OTHER_WEBSITES);
  const id = website?.id ?? "";
  const recent = useQuery({ ...recentQuery(id), enabled: mayRead });
  const living = useQuery({ ...findQuery(id, "all", wanted), enabled: isWanted });
  const trash = useQuery({ ...findQuery(id, "trash", wanted), enabled: isWanted });
  const elsewhere = useQueries({
    queries: searched.map((one) => ({ ...findQuery(one.id, "all", wanted), enabled: isWanted })),
  });
  if (!mayRead) return { entries: [], hasSame: false, isSearching: false, note: null };

  const titles = (recent.data?.articles ?? []).filter(({ title }) => matchesWords(title, typed));
  const found = isWanted ? [...(living.data?.articles ?? []), ...(trash.data?.articles ?? [])] : [];
  const known = new Set(titles.map((line) => line.id));
  const all = [...titles, ...found.filter((line) => !known.has(line.id))];
  const here =
    typed === ""
      ? all.slice(0, 5)
      : all.toSorted((a, b) => rankTitle(a.title, typed) - rankTitle(b.title, typed)).slice(0, MAX_SHOWN);
  const toEntry = (line: ArticleListItem, websiteId: string, name?: string): Entry => ({
    id: `article ${line.id}`,
    group: typed === "" ? "Recently updated" : name === undefined ? "Articles" : "Articles of other websites",
    label: line.title,
    note: name,
    line,
    run: () =>
      void navigate({
        to: "/articles/$id",
        params: { id: line.id },
        search: websites.length > 1 ? { website: websiteId } : {},
      }),
  });
  return {
    entries: [
      ...here.map((line) => toEntry(line, id)),
      ...(isWanted && typed !== ""
        ? searched.flatMap((one, index) =>
            (elsewhere[index]?.data?.articles ?? [])
              .slice(0, MAX_PER_OTHER)
              .map((line) => toEntry(line, one.id, one.name)),
          )
        : []),
    ],
    hasSame: here[0] !== undefined && typed !== "" && rankTitle(here[0].title, typed) === 0,
    isSearching: isWanted && [living, trash, ...elsewhere].some(({ isFetching }) => isFetching),
    note:
      others.length > searched.length ? `Searched ${searched.length} of your ${others.length} other websites.` : null,
  };
}
