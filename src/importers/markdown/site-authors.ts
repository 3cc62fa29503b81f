import { AppError } from "../../domain/system/errors.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import type { Site } from "../site.ts";
import { splitFrontMatter } from "./front-matter.ts";

/** Authors that an article names by their ids, as a file of the site describes them: `authors.yml` of Docusaurus and Jekyll. */
export function describeAuthors(value: unknown, site: Site, pathInSite: string): unknown {
  const items = typeof value === "string" ? value.split(",").map((item) => item.trim()) : [value].flat();
  if (site.root === null || !items.some(isId)) return value;
  const [folder = ""] = pathInSite.includes("/") ? pathInSite.split("/") : [];
  const places = [folder === "" ? "authors.yml" : `${folder}/authors.yml`, "_data/authors.yml"];
  const text = places.map((place) => site.readFile(place)).find((found) => found !== null);
  const known = text === undefined ? {} : readYaml(text);
  const isKnown = (item: unknown): item is string => isId(item) && Object.hasOwn(known, item) && isRecord(known[item]);
  return items.some(isKnown) ? items.map((item: unknown) => (isKnown(item) ? known[item] : item)) : value;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{1,100}$/.test(value);
}

function readYaml(text: string): Record<string, unknown> {
  try {
    return splitFrontMatter(`---\n${text.replaceAll("\r", "").replace(/^---\n/, "")}\n---\n`).data ?? {};
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}
