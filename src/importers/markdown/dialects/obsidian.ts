/** Obsidian, and wikis with links in double brackets. */
import type { Warnings } from "../../../domain/articles/warnings.ts";
import type { Dialect } from "./dialect.ts";
import { hasInProse, linkTarget, mapProse, markText } from "./prose.ts";

export const obsidian: Dialect = {
  name: "obsidian",
  label: "Obsidian",
  isLikely: ({ body }) => hasInProse(body, /\[\[(?!_?toc_?\]\]|[\d\s])[^[\]\n]{1,300}\]\](?!\()|^%%/im),
  convert(body, { language, pathInSite, vault, warnings }) {
    if (language === "html") return body;
    const notes: string[] = [];
    let isComment = false;
    const made = mapProse(
      body,
      (text) => {
        let shown = "";
        for (const [index, part] of text.split("%%").entries()) {
          if (index > 0) isComment = !isComment;
          if (!isComment) shown += part;
        }
        return convertText(shown, warnings, notes);
      },
      (code) => (isComment ? "" : code),
    );
    const shown = isComment ? mapProse(body, (text) => convertText(text, warnings, notes)) : made;
    const whole = notes.length === 0 ? shown : `${shown.trimEnd()}\n\n${notes.join("\n")}\n`;
    return vault?.withPaths(whole, pathInSite) ?? whole;
  },
};

function convertText(text: string, warnings: Warnings, notes: string[]): string {
  const linked = replaceWikiLinks(text, warnings);
  return markText(linked)
    .replaceAll(/!\[([^[\]|\n]*)\|\d+(?:x\d+)?\]\(/g, "![$1](")
    .replaceAll(/(?:^|(?<![ \t])[ \t]+)\^[a-zA-Z\d-]+[ \t]*$/gm, "")
    .replaceAll(/\^\[([^[\]\n]+)\]/g, (_whole, note: string) => {
      notes.push(`[^inline-${notes.length + 1}]: ${note}`);
      return `[^inline-${notes.length}]`;
    });
}

const WIKI_LINK = /(!?)\[\[([^[\]|#\n]{0,300})(#[^[\]|\n]{1,300})?(?:\\?\|([^[\]\n]{0,300}))?\]\](?!\()/g;
const PICTURE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i;

/** `[[page]]`, `[[page#Heading|text]]` and `![[picture.png|300]]` as Markdown. */
export function replaceWikiLinks(text: string, warnings: Warnings): string {
  return text.replaceAll(WIKI_LINK, (whole, sign: string, written: string, place = "", shown = "") => {
    const page = written.trim().replace(/\\$/, "");
    if (/^_?toc_?$/i.test(page)) return "";
    if (page === "" && place === "") return whole;
    if (sign === "!" && PICTURE.test(page)) {
      const alt = /^\d+(?:x\d+)?$/.test(shown.trim()) ? "" : shown.trim();
      return `![${alt}](${linkTarget(page)})`;
    }
    if (sign === "!") warnings.add("embed_replaced", whole);
    const heading = place.split("#").at(-1)?.trim() ?? "";
    const isBlock = heading.startsWith("^");
    const name = page.split("/").at(-1)?.replace(/\.md$/i, "") ?? "";
    const label = [name, isBlock ? "" : heading].filter((part) => part !== "").join(" > ");
    const file = page === "" ? "" : /\.\w{1,5}$/.test(page) ? page : `${page}.md`;
    const fragment = heading === "" || isBlock ? "" : `#${toId(heading)}`;
    return `[${shown.trim() || label || heading}](${linkTarget(file)}${fragment || (file === "" ? "#" : "")})`;
  });
}

/** The id that a heading gets here. */
function toId(heading: string): string {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "");
  return encodeURI(plain.replaceAll(" ", "-"));
}
