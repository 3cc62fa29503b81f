import { useInfiniteQuery } from "@tanstack/react-query";
import { useSession } from "../../shared/session.tsx";
import { historyQuery } from "./queries.ts";

interface KnownPeople {
  nameOf: (id: string) => string | undefined;
  /** Whether the last change was this user's own, on another device or in another window. */
  isOwnChange: boolean;
  /** Who made the last change: “Olga”. */
  lastBy: string;
  /** “Olga has changed this article”. */
  lastChange: string;
}

/** The names of those who have acted on the article, from its history. */
export function useKnownPeople(websiteId: string, id: string): KnownPeople {
  const { account } = useSession();
  const { data } = useInfiniteQuery(historyQuery(websiteId, id));
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const last = entries.find(({ action }) => !NO_CHANGES.test(action));
  const isOwnChange = last?.by.id === account.id;
  return {
    nameOf: (actor) => {
      if (actor === account.id) return "You";
      return entries.find(({ by }) => by.id === actor)?.by.name;
    },
    isOwnChange,
    lastBy: isOwnChange ? "You" : (last?.by.name ?? "Somebody"),
    lastChange: isOwnChange
      ? "You have changed this article in another window"
      : `${last?.by.name ?? "Somebody"} has changed this article`,
  };
}

/** These leave the article as it is. */
const NO_CHANGES = /^article\.(?:comment|request_item|review_link|previewed|assigned|author_changed)/;
