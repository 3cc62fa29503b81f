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

/** The direction of a text in that language; `auto`: its first letter decides, because many articles name no language. */
export function textDirection(lang: string | null | undefined): "rtl" | "auto" {
  return lang != null && RTL_SCRIPTS.has(findScript(lang)) ? "rtl" : "auto";
}

const RTL_SCRIPTS: ReadonlySet<string> = new Set(["Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"]);

function findScript(lang: string): string {
  try {
    return new Intl.Locale(lang).maximize().script ?? "";
  } catch {
    return "";
  }
}
