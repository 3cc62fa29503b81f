import { parseJson } from "../json/ndjson.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { toText } from "../import-item.ts";
import { renderLexical } from "./lexical.ts";
import { markdownOfMobiledoc, renderMobiledoc } from "./mobiledoc.ts";

/**
 * The content of a Ghost post: the HTML that Ghost stores beside the source, else the rendered source. A post that is a single
 * Markdown card stays Markdown.
 */
export function contentOfGhost(
  post: Record<string, unknown>,
  atSite: (text: string) => string,
): { content?: string; markdown?: string } {
  const html = toText(post["html"]);
  if (html !== undefined) return { content: atSite(html) };
  const lexical = toText(post["lexical"]);
  if (lexical !== undefined) return { content: atSite(renderLexical(parseJson(lexical))) };
  const mobiledoc = toText(post["mobiledoc"]);
  if (mobiledoc === undefined) return {};
  const document = parseJson(mobiledoc);
  const markdown = isRecord(document) ? markdownOfMobiledoc(document) : null;
  return markdown === null ? { content: atSite(renderMobiledoc(document)) } : { markdown: atSite(markdown) };
}
