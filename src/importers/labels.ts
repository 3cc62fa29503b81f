import { isRecord } from "../domain/articles/json-values.ts";

/**
 * Parses the labels of tags, categories and keywords: a list, a comma-separated text, or objects with a name. `bySpaces`: a
 * text without commas is split at spaces, as in Jekyll.
 */
export function parseLabels(value: unknown, bySpaces = false): string[] {
  if (typeof value === "string") return value.split(value.includes(",") || !bySpaces ? "," : /\s+/).map(cleanLabel);
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value))
    return value.flatMap((item: unknown) => (typeof item === "string" ? cleanLabel(item) : parseLabels(item)));
  if (isRecord(value)) return parseLabels(value["name"] ?? value["title"] ?? value["label"] ?? null);
  return [];
}

function cleanLabel(label: string): string {
  return label.trim();
}
