import { useInfiniteQuery } from "@tanstack/react-query";
import { useSession } from "../../shared/session.tsx";
import { historyQuery } from "./queries.ts";

interface KnownPeople {
  nameOf: (id: string) => string | undefined;
  /** null: unknown. */
  lastToChange: string | null;
}

/** The names of those who have acted on the article, from its history. */
export function useKnownPeople(websiteId: string, id: string): KnownPeople {
  const { account } = useSession();
  const { data } = useInfiniteQuery(historyQuery(websiteId, id));
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return {
    nameOf: (actor) => {
      if (actor === account.id) return "You";
      return entries.find(({ by }) => by.id === actor)?.by.name;
    },
    lastToChange: entries[0]?.by.name ?? null,
  };
}
