/** Finds articles while the user types, the best titles first, in every state and on all websites. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ArticleListItem } from "../../../../src/http/admin/contract/articles.ts";
import {
  foundArticlesQuery,
  matchesWords,
  MAX_FOUND,
  rankTitle,
  recentArticlesQuery,
} from "../../shared/article-search.ts";
import { useSession, useWebsiteOrNull } from "../../shared/session.tsx";
import type { Entry } from "./entries.ts";

/** Maximum number of other websites to search. */
const MAX_OTHER_WEBSITES = 24;
const MAX_PER_OTHER = 3;

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
  const recent = useQuery({ ...recentArticlesQuery(id, "all"), enabled: mayRead });
  const living = useQuery({ ...foundArticlesQuery(id, "all", wanted), enabled: isWanted });
  const trash = useQuery({ ...foundArticlesQuery(id, "trash", wanted), enabled: isWanted });
  const elsewhere = useQueries({
    queries: searched.map((one) => ({ ...foundArticlesQuery(one.id, "all", wanted), enabled: isWanted })),
  });
  if (!mayRead) return { entries: [], hasSame: false, isSearching: false, note: null };

  const titles = (recent.data?.articles ?? []).filter(({ title }) => matchesWords(title, typed));
  const found = isWanted ? [...(living.data?.articles ?? []), ...(trash.data?.articles ?? [])] : [];
  const known = new Set(titles.map((line) => line.id));
  const all = [...titles, ...found.filter((line) => !known.has(line.id))];
  const here =
    typed === ""
      ? all.slice(0, 5)
      : all.toSorted((a, b) => rankTitle(a.title, typed) - rankTitle(b.title, typed)).slice(0, MAX_FOUND);
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
