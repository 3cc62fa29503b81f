/** Loads the parser of a format when it is first needed. */
import type { Format } from "./fingerprint.ts";
import type { Parse } from "./edited-source.ts";

export async function loadParser(format: Format): Promise<Parse> {
  if (format === "html") return (await import("./html-parse.ts")).parseHtml;
  return (await import("./markdown-parse.ts")).parseMarkdown;
}
