import { useQuery } from "@tanstack/react-query";
import { websiteQuery } from "../queries.ts";

/**
 * @param language of the article; null or empty: the website's own.
 * @returns the value of `lang`, by which a screen reader chooses its voice; undefined: unknown.
 */
export function useTextLanguage(websiteId: string | null, language: string | null): string | undefined {
  const { data } = useQuery({ ...websiteQuery(websiteId ?? ""), enabled: websiteId !== null });
  return language || data?.language || undefined;
}
