/** VitePress and VuePress. Their containers (`::: tip`) are read wherever Markdown is. */
import { escapeHtml } from "../../html/html-tree.ts";
import { type Component, meaningOf, unknownMeaning } from "./mdx/components.ts";
import type { ConvertContext, Dialect } from "./dialect.ts";
import { codeBlock } from "./constructs.ts";
import { hasInProse, Includes, mapLines, mapProse, markText, readBeside } from "./prose.ts";

export const vitepress: Dialect = {
  name: "vitepress",
  label: "VitePress",
  isLikely: ({ body }) =>
    hasInProse(
      body,
      /^<script setup|^\[\[toc\]\]|^:{3,} ?(?:code-group|v-pre)|^<<< [@./]|\{\{ *\$(?:frontmatter|page)\.|^<!-- ?@include:/m,
    ),
  convert(body, context) {
    if (context.language === "html") return body;
    const text = convertLines(includeFiles(body, context, new Includes(body)));
    return mapProse(text, (part) => convertText(part, context));
  },
};

/** `<<< @/file`, `@[code](file)` and `<!--@include: file-->`. */
function includeFiles(body: string, context: ConvertContext, includes: Includes): string {
  if (!/^[ \t]*(?:<<<|@\[code)|@include:/m.test(body)) return body;
  const include = (path: string, line: string, write: (text: string) => string): string => {
    const place = path.replace(/^@\//, "").split("#", 1).join("");
    const text = path.includes("#") ? null : readBeside(context.site, context.pathInSite, place, ["", "docs"]);
    const made = text === null ? null : includes.add(text, () => write(text));
    if (made === null) context.warnings.add("construct_replaced", line);
    return made ?? "";
  };
  return mapLines(body, (line) => {
    const [, snippet] = /^[ \t]*<<<[ \t]*([^\s{}[\]]+)/.exec(line) ?? [];
    const [, code = snippet] = /^[ \t]*@\[code[^\]\n]*\]\(([^()\s]+)\)/.exec(line) ?? [];
    if (code !== undefined) {
      return include(code, line, (text) => {
        const made = codeBlock(/\.(\w+)$/.exec(code)?.[1] ?? "", text, "markdown");
        return typeof made === "string" ? made : made.block;
      });
    }
    const file = /^[ \t]*<!--[ \t]*@include:[ \t]*([^\s{}]+)/.exec(line)?.[1]?.replace("-->", "");
    if (file === undefined) return line;
    return include(file, line, (text) =>
      includeFiles(text.replace(/^---\n[^]*?\n---\n/, "").trim(), context, includes),
    );
  });
}

function convertLines(body: string): string {
  let unseen = "";
  let isGroup = false;
  return mapLines(body, (line, fence) => {
    if (unseen !== "") {
      if (line.includes(unseen)) unseen = "";
      return null;
    }
    const name = /^<(script|style)\b/.exec(line)?.[1];
    if (name !== undefined) {
      if (!line.includes(`</${name}>`)) unseen = `</${name}>`;
      return null;
    }
    if (/^[ \t]*\[\[_?toc_?\]\][ \t]*$/i.test(line)) return null;
    if (/^[ \t]*:{3,} ?code-(?:group|tabs)\b/.test(line)) isGroup = true;
    else if (/^[ \t]*:{3,}[ \t]*$/.test(line)) isGroup = false;
    const tab = /^[ \t]*@tab(?::active)?[ \t]+(\S[^\n]*)$/.exec(line)?.[1];
    if (tab !== undefined) return `\n**${tab.split("#", 1).join("").trim()}**\n`;
    if (fence === "") return line;
    const plain = line.replace(/^([ \t>]*[`~]{3,}[ \t]*[\w+#-]+)(?:(?::[\w-]+(?:=\d+)?)|\{[\d,\s-]*\})+/, "$1");
    const [mark = "", label] = isGroup ? (/\[([^[\]\n]+)\]$/.exec(plain.trimEnd()) ?? []) : [];
    return label === undefined ? plain : `\n**${label}**\n\n${plain.trimEnd().slice(0, -mark.length).trimEnd()}`;
  });
}

/** What Vue does not read, interpolations, and tags of components. */
const VUE =
  /<(\w+)[ \t]+v-pre>([^<]*)<\/\1>|\{\{([^{}]*)\}\}|<(\/?)([A-Z]\w*|[a-z]+(?:-[a-z\d]+)+)((?:[ \t\n]+[^\s"'<>=/]+(?:=(?:"[^"<>]*"|'[^'<>]*'))?){0,30})[ \t\n]*(\/?)>/g;

function convertText(text: string, context: ConvertContext): string {
  const made = text.replaceAll(
    VUE,
    (
      whole,
      _name,
      verbatim: string | undefined,
      inside: string | undefined,
      end: string,
      name: string,
      rest: string,
      empty: string,
    ) => {
      if (verbatim !== undefined) return verbatim;
      if (inside !== undefined) return interpolate(inside, whole, context);
      return component(whole, name, rest, end === "/" ? "close" : empty === "/" ? "empty" : "open", context);
    },
  );
  return markText(made)
    .replaceAll(/(<img\b[^<>]{0,500}?)[ \t]:src="(?:\$?withBase\()?'([^'"<>]*)'\)?"/g, '$1 src="$2"')
    .replaceAll(/(\]\([^()\s]*\))\{[^{}=\n]*=[^{}\n]*\}/g, "$1");
}

function interpolate(inside: string, source: string, { fields, warnings }: ConvertContext): string {
  const expression = inside.trim();
  const text = /^(?:"([^"\\]*)"|'([^'\\]*)'|`([^`\\$]*)`|(\d+))$/
    .exec(expression)
    ?.slice(1)
    .find((part) => part !== undefined);
  if (text !== undefined) return escapeHtml(text);
  const name = /^(?:\$?frontmatter|\$page\.frontmatter|\$page|page)\.(\w+)$/.exec(expression)?.[1];
  const value = name === undefined ? undefined : fields.get(name);
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  warnings.add("construct_replaced", source);
  return "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Without meaning of their own. */
const TRANSPARENT = new Set(["ClientOnly", "client-only", "CodeGroup", "code-group", "Suspense", "Teleport"]);

function component(
  source: string,
  name: string,
  rest: string,
  form: "open" | "close" | "empty",
  { warnings }: ConvertContext,
): string {
  if (TRANSPARENT.has(name)) return "";
  const isLink = /^(?:RouterLink|RouteLink|router-link|route-link)$/.test(name);
  if (form === "close") return isLink ? "</a>" : "";
  const props = new Map<string, unknown>();
  for (const [, key = "", double, single] of rest.matchAll(/([^\s"'<>=/]+)(?:=(?:"([^"]*)"|'([^']*)'))?/g)) {
    const value = double ?? single;
    const text = key.startsWith(":") ? /^'([^']*)'$/.exec(value ?? "")?.[1] : value;
    props.set(key.replace(/^:/, ""), value === undefined ? true : text);
  }
  if (isLink && form === "open") return `<a href="${escapeHtml(textOf(props.get("to")))}">`;
  if (name === "Badge" && form === "open") return "";
  const made: Component = { source, name, props, inside: "", text: undefined, isAlone: false, label: undefined };
  const meaning = form === "empty" || /(?:Item|Tab|Step|Card|Details)$/.test(name) ? meaningOf(name) : undefined;
  if (meaning === undefined) warnings.add("construct_replaced", source);
  const shown = (meaning ?? unknownMeaning)(made);
  return typeof shown === "string" ? shown : shown.block;
}
