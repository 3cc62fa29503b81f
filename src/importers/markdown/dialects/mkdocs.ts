/** MkDocs with the extensions of Python-Markdown and Material. Boxes (`!!! note`) are read wherever Markdown is. */
import { escapeHtml } from "../../html/html-tree.ts";
import type { ConvertContext, Dialect } from "./dialect.ts";
import { replaceWikiLinks } from "./obsidian.ts";
import { hasInProse, Includes, indentedLines, mapLines, mapProse, markText, readBeside } from "./prose.ts";

export const mkdocs: Dialect = {
  name: "mkdocs",
  label: "MkDocs",
  isLikely: ({ body }) =>
    hasInProse(
      body,
      /^[ \t]*===[!+]? "|^[ \t]*--8<--|(?<![\w+])\+\+[a-z\d"-]+(?:\+[\w"-]+)*\+\+|:(?:material|fontawesome|octicons|simple)-[a-z\d-]+:|\{[ \t]*\.md-/m,
    ),
  convert(body, context) {
    if (context.language === "html") return body;
    const whole = includeSnippets(body, context, new Includes(body));
    const flat = convertTabs(whole.split("\n")).join("\n");
    const { text, abbreviations } = takeAbbreviations(convertLines(flat, context));
    return mapProse(
      text,
      (part) => convertText(part, abbreviations, context),
      (code) => code.replace(/^(`{1,2})#![\w+-]+[ \t]+(?=[^`])/, "$1"),
    );
  },
};

/** `--8<-- "file"`, and a block of files between two such lines. */
function includeSnippets(body: string, context: ConvertContext, includes: Includes): string {
  if (!body.includes("--8<--")) return body;
  let isList = false;
  return body
    .split("\n")
    .map((line) => {
      const [, indentation = "", escaped = "", path] =
        /^([ \t]*)(;?)-{1,}8<-{1,}(?:[ \t]+"([^"]*)")?[ \t]*$/.exec(line) ?? [];
      const isMark = /^[ \t]*;?-+8<-+/.test(line);
      if (escaped !== "") return line.replace(";", "");
      if (isMark && path === undefined) {
        isList = !isList;
        return "";
      }
      const file = isList ? line.trim() : path;
      if (file === undefined || file === "") return line;
      // Sections and lines of a file come after its name.
      const [name = ""] = file.split(":");
      const folders = ["", "docs", "docs/snippets", "includes"];
      const found = file === name ? readBeside(context.site, context.pathInSite, name, folders) : null;
      const inner = found && includes.add(found, () => includeSnippets(found.trimEnd(), context, includes));
      if (inner === null) {
        context.warnings.add("construct_replaced", line);
        return "";
      }
      return inner
        .split("\n")
        .map((inside) => (inside === "" ? "" : indentation + inside))
        .join("\n");
    })
    .join("\n");
}

/** `=== "Tab"` with an indented block: the label in bold, then the block. */
function convertTabs(lines: readonly string[], depth = 0): string[] {
  const made: string[] = [];
  let fence = "";
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    const [, indentation = "", label] = /^([ \t]*)===[!+]?[ \t]+"([^"]*)"[ \t]*$/.exec(line) ?? [];
    if (fence === "" && label !== undefined && depth < MAX_TABS) {
      const { inside, end } = indentedLines(lines, at + 1, indentation.length + 4);
      while (inside[0] === "") inside.shift();
      if (made.at(-1)?.trim() !== "" && made.length > 0) made.push("");
      made.push(`${indentation}**${label}**`, "");
      for (const inner of convertTabs(inside, depth + 1)) made.push(inner === "" ? "" : indentation + inner);
      if ((lines[end] ?? "").trim() !== "") made.push("");
      at = end - 1 < at ? at : end - 1;
      continue;
    }
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    made.push(line);
  }
  return made;
}

const MAX_TABS = 20;

function convertLines(body: string, { warnings }: ConvertContext): string {
  let isGenerated = false;
  return mapLines(body, (line, mark) => {
    if (isGenerated && (line.trim() === "" || /^(?: {4}|\t)/.test(line))) return line.trim() === "" ? line : null;
    isGenerated = false;
    // Documentation that a plugin writes from source code.
    if (/^:::[ \t]+[\w-]+(?:[.:][\w.:-]+)[ \t]*$/.test(line)) {
      isGenerated = true;
      warnings.add("construct_replaced", line);
      return null;
    }
    if (/^[ \t]*\[\[?_?TOC_?\]\]?[ \t]*$/i.test(line)) return null;
    if (mark !== "")
      return line
        .replace(/^([ \t>]*[`~]{3,})[ \t]*\{[ \t]*\.([\w+#-]+)((?:[^{}\n\w+#-][^{}\n]*)?)\}[ \t]*$/, "$1$2$3")
        .trimEnd();
    return isAttributeList(line.trim()) ? null : line;
  });
}

/** `{ .class #id width="3" }`, also with a colon. */
function isAttributeList(text: string): boolean {
  return /^\{:?[ \t]*(?:[.#][\w-]|[\w-]+=)[^{}\n]*\}$/.test(text);
}

/** Lines such as `*[HTML]: Hypertext Markup Language`. */
function takeAbbreviations(body: string): { text: string; abbreviations: ReadonlyMap<string, string> } {
  const abbreviations = new Map<string, string>();
  if (!body.includes("*[")) return { text: body, abbreviations };
  const text = mapLines(body, (line) => {
    const [, word, meaning] = /^\*\[([^\]\n]{1,80})\]:[ \t]*(\S[^\n]*)$/.exec(line) ?? [];
    if (word === undefined || meaning === undefined) return line;
    abbreviations.set(word, meaning);
    return null;
  });
  return { text, abbreviations };
}

function convertText(text: string, abbreviations: ReadonlyMap<string, string>, context: ConvertContext): string {
  const { warnings } = context;
  let made = text
    .replaceAll(/\{(\+\+|--|==|>>|~~)([^{}]*)\}/g, suggestion)
    .replaceAll(/:(?:material|fontawesome|octicons|simple)-[a-z\d-]+:(?:\{[^{}\n]*\})?[ \t]?/g, (icon) => {
      warnings.add("construct_replaced", icon);
      return "";
    })
    .replaceAll(/(?<![\w+])\+\+([\w"'-]+(?:\+[\w"'-]+)*)\+\+(?![\w+])/g, (_whole, keys: string) => writeKeys(keys))
    .replaceAll(/(?<=[)\]*_>])\{:?[ \t]*(?:[.#][\w-]|[\w-]+=)[^{}\n]*\}/g, "")
    .replaceAll(/^\{:?[ \t]*(?:[.#][\w-]|[\w-]+=)[^{}\n]*\}/g, "")
    .replaceAll(/(?<!\^)\^\^(?!\s)([^\n^]{1,500})\^\^(?!\^)/g, "<ins>$1</ins>")
    .replaceAll(/(?<![[^\\])\^([^\s^[\]]{1,100})\^(?!\^)/g, "<sup>$1</sup>")
    .replaceAll(/(?<![~\\])~([^\s~]{1,100})~(?!~)/g, "<sub>$1</sub>")
    .replaceAll(/\((\d{1,3})\)!/g, "($1)")
    .replaceAll(/^(<[a-z]\w*)([ \t][^<>\n]*)>[ \t]*(\n(?![ \t]*\n))?/gm, openMarkdown);
  if (made.includes("{{"))
    made = made.replaceAll(/\{\{([^{}]*)\}\}/g, (tag, inside: string) => valueOf(inside, tag, context));
  if (context.site.dialect === "mkdocs" && made.includes("{%"))
    made = made.replaceAll(/\{%[^%]*%\}/g, (tag) => {
      warnings.add("construct_replaced", tag);
      return "";
    });
  if (abbreviations.size > 0)
    made = made.replaceAll(/[\w/<.+-]+/g, (word) => {
      const [name = ""] = /^\w+(?:[.+-]\w+)*/.exec(word) ?? [];
      const meaning = abbreviations.get(name);
      return meaning === undefined
        ? word
        : `<abbr title="${escapeHtml(meaning)}">${name}</abbr>${word.slice(name.length)}`;
    });
  return replaceWikiLinks(markText(made), warnings);
}

/** `{++added++}`, `{--deleted--}`, `{~~old~>new~~}`, `{==marked==}{>>comment<<}`. */
function suggestion(whole: string, sign: string, inside: string): string {
  const end = sign === ">>" ? "<<" : sign;
  if (!inside.endsWith(end)) return whole;
  const text = inside.slice(0, -2);
  if (sign === "++") return `<ins>${text}</ins>`;
  if (sign === "--") return `<del>${text}</del>`;
  if (sign === "==") return `<mark>${text}</mark>`;
  if (sign === ">>") return "";
  const [old = "", ...fresh] = text.split("~>");
  return `<del>${old}</del><ins>${fresh.join("~>")}</ins>`;
}

/** A tag whose content is Markdown, which an empty line begins. */
function openMarkdown(whole: string, start: string, attributes: string, end = ""): string {
  const others = attributes.replace(/[ \t]markdown(?:="[^"]*")?(?=[ \t]|$)/, "");
  return others === attributes ? whole : `${start}${others}>${end === "" ? "" : "\n\n"}`;
}

/** The value of a macro; what no configuration has is left out if the site has macros. */
function valueOf(inside: string, tag: string, { site, fields, warnings }: ConvertContext): string {
  const name = inside.trim();
  const [, group = "", key = ""] = /^(config|page\.meta|page|extra)\.([\w-]+)$/.exec(name) ?? [];
  const value = group === "config" ? site.values[key] : group === "" ? undefined : fields.get(key);
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (site.dialect !== "mkdocs") return tag;
  warnings.add("construct_replaced", tag);
  return "";
}

function writeKeys(keys: string): string {
  return keys
    .split("+")
    .map((key) => {
      const name = key.replaceAll(/["']/g, "").split("-");
      const shown = name.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
      return `<kbd>${shown}</kbd>`;
    })
    .join("+");
}
