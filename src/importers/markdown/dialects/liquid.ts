/** Liquid and Nunjucks, as Jekyll, Octopress and Hexo have them: tags, values and filters, without running any logic. */
import { isRecord } from "../../../domain/articles/json-values.ts";
import { escapeHtml } from "../../html/html-tree.ts";
import type { ConvertContext } from "./dialect.ts";
import {
  box,
  boxWord,
  codeBlock,
  details,
  embed,
  embedAddress,
  isEmbed,
  link,
  named,
  picture,
  plainCaption,
  readArguments,
  salvage,
  trimLines,
  unwrapped,
} from "./constructs.ts";
import { type Made, type Place, writePieces } from "./output.ts";
import { Includes } from "./prose.ts";
import { findTags, type Piece, type Tag, type TagSyntax } from "./tags.ts";

/** What a generator makes of its own tags; undefined: the tag is not one of these. */
export type OwnTags = (tag: Tag, place: Place, liquid: Liquid) => Made | undefined;

const CODE_TAGS: ReadonlySet<string> = new Set(["highlight", "codeblock", "code"]);
const FORMULA_TAGS: ReadonlySet<string> = new Set(["katex", "math", "mathjax", "latex"]);
const BOX_TAGS: ReadonlySet<string> = new Set(
  "admonition alert callout caution danger hint important info note notice success tip warn warning".split(" "),
);
const FOLD_TAGS: ReadonlySet<string> = new Set("collapse details expand fold folding hideToggle spoiler".split(" "));
const QUOTE_TAGS: ReadonlySet<string> = new Set(["blockquote", "centerquote", "cq", "pullquote", "quote"]);
const PICTURE_TAGS: ReadonlySet<string> = new Set("figure image img picture responsive_image".split(" "));
const LOGIC_TAGS: ReadonlySet<string> = new Set("case for if ifchanged tablerow unless".split(" "));
/** Tags that readers never see. */
const SILENT_TAGS: ReadonlySet<string> = new Set(
  "break continue cycle decrement feed_meta increment layout seo toc more assign capture set".split(" "),
);
/** Words of themes about the look of a box. */
const LOOKS = /^(?:fa[-\w]*|flat|icon|modern|no-icon|simple|disabled)$/;

const SYNTAX: TagSyntax = {
  forms: [
    { open: "{%", close: "%}" },
    { open: "{{", close: "}}" },
  ],
  read(inside, open) {
    const words = withoutDashes(inside);
    if (open === "{{") return /^["'\w]/.test(words) ? { name: "", rest: words, isEnd: false } : null;
    const name = /^[\w-]+|^#/.exec(words)?.[0];
    if (name === undefined) return null;
    const rest = words.slice(name.length).trim();
    const isEnd = name.startsWith("end") && name.length > 3;
    return { name: isEnd ? name.slice(3) : name, rest, isEnd };
  },
  isVerbatim: (name) => CODE_TAGS.has(name) || FORMULA_TAGS.has(name) || name === "comment",
};

function withoutDashes(inside: string): string {
  const start = inside.startsWith("-") ? 1 : 0;
  const end = inside.endsWith("-") && inside.length > start ? inside.length - 1 : inside.length;
  return inside.slice(start, end).trim();
}

export class Liquid {
  readonly context: ConvertContext;
  readonly #own: OwnTags;
  readonly #data: (path: readonly string[]) => string | undefined;
  readonly #values = new Map<string, string>();
  /** Parameters of the include that is being read; null: of none. */
  #parameters: ReadonlyMap<string, string> | null = null;
  #includes: Includes | null = null;

  /** @param data the values of names that the generator knows besides. */
  constructor(
    context: ConvertContext,
    own: OwnTags,
    data: (path: readonly string[]) => string | undefined = () => undefined,
  ) {
    this.context = context;
    this.#own = own;
    this.#data = data;
  }

  convert(body: string): string {
    this.#includes ??= new Includes(body);
    const { text, isLiteral } = takeRaw(body);
    return this.write(findTags(text, SYNTAX, this.context.language, isLiteral));
  }

  write(pieces: readonly Piece[]): string {
    return writePieces(pieces, {
      tag: (tag, place) => (tag.name === "" ? this.#output(tag) : this.#tag(tag, place)),
      text: (text) => text,
      code: (code) => code,
    });
  }

  /** What is between a tag and its end. */
  inside(tag: Tag, place: Place): string {
    return place.outdent(this.write(tag.inside ?? []));
  }

  warn({ source }: Pick<Tag, "source">): void {
    this.context.warnings.add("construct_replaced", source);
  }

  #output(tag: Tag): string {
    const value = this.evaluate(tag.rest);
    if (value !== undefined) return value;
    const isCertain = this.context.site.dialect !== null || /[.|]/.test(tag.rest);
    if (!isCertain) return tag.source;
    this.warn(tag);
    return "";
  }

  #tag(tag: Tag, place: Place): Made {
    const own = this.#own(tag, place, this);
    if (own !== undefined) return own;
    const { name, rest } = tag;
    const { language } = this.context;
    if (name === "#" || name === "comment" || name.startsWith("/")) return "";
    if (tag.verbatim !== null && CODE_TAGS.has(name)) return this.#code(tag, place, tag.verbatim);
    if (tag.verbatim !== null && FORMULA_TAGS.has(name)) return `$$${place.outdent(tag.verbatim)}$$`;
    if (name === "assign" || name === "set") this.#assign(rest);
    if (name === "capture") this.#values.set(rest.trim(), this.write(tag.inside ?? []).trim());
    if (SILENT_TAGS.has(name)) return "";
    if (name === "include" || name === "include_cached" || name === "include_relative")
      return this.#include(tag, place);
    if (LOGIC_TAGS.has(name) && tag.inside !== null) return this.#logic(tag);
    if (BOX_TAGS.has(name)) return this.#box(tag, place);
    if (FOLD_TAGS.has(name) && tag.inside !== null) {
      const given = readArguments(rest);
      return details(
        named(given, "summary", "title") ?? (given.places.join(" ") || "Details"),
        this.inside(tag, place),
      );
    }
    if (QUOTE_TAGS.has(name) && tag.inside !== null) return this.#quote(tag, place);
    if (PICTURE_TAGS.has(name)) {
      const made = tag.inside === null ? pictureOf(rest, language, place.isAlone) : undefined;
      if (made !== undefined) return made;
    }
    if (isEmbed(name) || name === "video" || name === "audio" || name === "iframe") {
      const address = addressOf(name, rest);
      if (address !== undefined) return embed(address, language, place.isAlone);
    }
    return this.unknown(tag, place);
  }

  /** Leaves the words of a tag that nobody knows. */
  unknown(tag: Tag, place: Place): Made {
    this.warn(tag);
    if (tag.verbatim !== null) return place.outdent(tag.verbatim);
    const given = readArguments(tag.rest);
    const { language } = this.context;
    if (tag.inside !== null) return unwrapped(given, this.inside(tag, place), language);
    return salvage(given, language, place.isAlone);
  }

  #code({ rest, name }: Tag, place: Place, code: string): Made {
    const made = codeBlock(codeLanguage(name, rest), place.outdent(code), this.context.language);
    const title = name === "highlight" ? "" : codeTitle(rest, this.context.language);
    return title === "" || typeof made === "string" ? made : { block: `${title}\n\n${made.block}` };
  }

  #box(tag: Tag, place: Place): Made {
    const { places, names } = readArguments(tag.rest);
    const [first = "", ...others] = places.filter((word) => !LOOKS.test(word));
    const kinds = /^(?:admonition|alert|callout|note|notice)$/.test(tag.name);
    // `{% note info Title %}`, and `{% tip Title %}`.
    const isKind = kinds && /^[a-z-]+$/.test(first);
    const kind = names.get("type") ?? (isKind ? first : tag.name);
    const title = names.get("title") ?? (isKind ? others : [first, ...others]).join(" ");
    const inside = tag.inside === null ? (names.get("content") ?? names.get("text") ?? "") : this.inside(tag, place);
    if (tag.inside === null && inside === "") return this.unknown(tag, place);
    return box(boxWord(kind, title), inside, this.context.language);
  }

  /** `{% blockquote Author, Source https://… Title %}`. */
  #quote(tag: Tag, place: Place): Made {
    const { language } = this.context;
    const inside = trimLines(this.inside(tag, place));
    if (tag.name === "pullquote" && inside.includes('{"')) return inside.replaceAll(/\{" ?| ?"\}/g, "");
    const at = tag.rest.search(/https?:\/\//);
    const [address = "", ...words] = at < 0 ? [] : tag.rest.slice(at).split(/\s+/);
    const author =
      tag.name === "pullquote"
        ? ""
        : tag.rest
            .slice(0, at < 0 ? undefined : at)
            .trim()
            .replace(/,$/, "");
    const source = address === "" ? "" : link(words.join(" ") || address, address, language);
    const by = [author, source].filter((part) => part !== "").join(", ");
    return box(
      "",
      by === "" ? inside : language === "html" ? `${inside}\n<p>— ${by}</p>` : `${inside}\n\n— ${by}`,
      language,
    );
  }

  #assign(rest: string): void {
    const at = rest.indexOf("=");
    const value = at < 0 ? undefined : this.evaluate(rest.slice(at + 1));
    if (value !== undefined) this.#values.set(rest.slice(0, at).trim(), value);
  }

  /** The branch that is meant if this is certain; else the words of all. */
  #logic(tag: Tag): string {
    const branches = splitBranches(tag.inside ?? []);
    const isChoice = tag.name === "if" || tag.name === "unless";
    if (isChoice) {
      let condition: string | null = tag.rest;
      let isSure = true;
      for (const branch of branches) {
        if (branch !== branches[0]) condition = branch.condition;
        const holds = condition === null ? true : this.#holds(condition);
        if (holds === undefined) isSure = false;
        if (!isSure) break;
        if (holds === (tag.name === "if" || branch !== branches[0])) return this.write(branch.pieces);
      }
      if (isSure) return "";
    }
    this.warn(tag);
    const words = branches.map(({ pieces }) => this.write(pieces));
    // A list that a template makes of other articles has none of its own.
    return tag.name === "for" && !/[\p{L}\p{N}]/u.test(words.join("").replaceAll(/<[^<>]*>|&\w+;/g, ""))
      ? ""
      : words.join("");
  }

  /** Undefined: it depends on what only the generator knows. */
  #holds(condition: string): boolean | undefined {
    const [, left = "", sign, right = ""] =
      /^([\w.-]+|"[^"]*"|'[^']*')(?:\s*(==|!=)\s*([\w.-]+|"[^"]*"|'[^']*'))?$/.exec(condition.trim()) ?? [];
    const value = this.#conditionValue(left);
    if (value === undefined) return undefined;
    if (sign === undefined) return value !== null && value !== "false";
    const other = this.#conditionValue(right);
    return other === undefined ? undefined : (value === other) === (sign === "==");
  }

  /** null: it has no value. */
  #conditionValue(name: string): string | null | undefined {
    if (name === "nil" || name === "null" || name === "empty" || name === "blank") return null;
    if (/^["']/.test(name)) return name.slice(1, -1);
    if (/^(?:true|false|\d+)$/.test(name)) return name;
    if (name.startsWith("include.") && this.#parameters !== null) return this.#parameters.get(name.slice(8)) ?? null;
    return this.#values.get(name);
  }

  #include(tag: Tag, place: Place): Made {
    const { site, pathInSite, language } = this.context;
    const [, named = "", rest = ""] = /^(\S+)([^]*)$/.exec(tag.rest) ?? [];
    const file = named.replaceAll(/["',]/g, "");
    const given = readArguments(rest);
    const folder = tag.name === "include_relative" ? folderInSite(pathInSite) : "_includes/";
    const isPlain = /^[\w./-]+$/.test(file) && !file.includes("..");
    const text = isPlain ? (site.readFile(folder + file)?.replaceAll("\r\n", "\n") ?? null) : null;
    const made = text && this.#includes?.add(text, () => this.#withParameters(given, () => this.convert(text)));
    if (made == null) return this.#missingInclude(tag, place, file, rest);
    const shown = /\.html?$/.test(file) && !/<pre\b/i.test(made) ? withoutEmptyLines(made) : trimLines(made);
    return place.isAlone && language === "markdown" && shown !== "" ? { block: shown } : shown;
  }

  #withParameters(given: ReturnType<typeof readArguments>, write: () => string): string {
    const outer = this.#parameters;
    const names = Array.from(given.names, ([key, value]): [string, string] => [key, this.#parameter(value)]);
    this.#parameters = new Map(names);
    const made = write();
    this.#parameters = outer;
    return made;
  }

  /** `src=page.image` names a value. */
  #parameter(value: string): string {
    return /^(?:page|site|include)\.[\w.-]+$/.test(value) ? (this.evaluate(value) ?? value) : value;
  }

  /** Includes that many themes have are known by their names and parameters. */
  #missingInclude(tag: Tag, place: Place, file: string, rest: string): Made {
    const { language } = this.context;
    const kind = (file.split("/").at(-1) ?? "").replace(/\.\w+$/, "").toLowerCase();
    const given = readArguments(rest);
    if (isEmbed(kind) || /^(?:youtube|vimeo)/.test(kind) || kind === "video") {
      const host = /^(?:youtube|vimeo)/.exec(kind)?.[0] ?? kind;
      const id = named(given, "id", "video_id", "videoid", "video", "url", "src", "code") ?? "";
      const address = embedAddress(named(given, "provider") ?? host, id);
      if (address !== undefined) return embed(address, language, place.isAlone);
    }
    if (/(?:fig|figure|image|img|picture|photo)/.test(kind)) {
      const made = pictureOf(rest, language, place.isAlone);
      if (made !== undefined) return made;
    }
    const words = named(given, "content", "text", "body", "message");
    if (words !== undefined && (BOX_TAGS.has(kind) || /alert|callout|note|tip|warning/.test(kind))) {
      const word = boxWord(named(given, "type") ?? kind, named(given, "title") ?? "");
      return box(word, words, language);
    }
    this.warn(tag);
    return salvage(given, language, place.isAlone);
  }

  /** The text of a value with its filters; undefined: it is not known. */
  evaluate(expression: string): string | undefined {
    const [first = "", ...filters] = splitFilters(expression);
    const isText = /^(?:"[^"]*"|'[^']*')$/.test(first);
    let value = isText ? first.slice(1, -1) : this.#valueOf(first);
    for (const filter of filters) {
      const [, name = "", rest = ""] = /^([\w-]+)\s*:?([^]*)$/.exec(filter) ?? [];
      const given = readArguments(rest).places.map((one) => one);
      if (value === undefined) {
        if (name === "default") value = given[0];
        continue;
      }
      const made = this.#filter(name, value, given);
      if (made === undefined && !isText) return undefined;
      value = made ?? value;
    }
    return value;
  }

  #valueOf(name: string): string | undefined {
    const path = name.trim().split(".");
    const [group = "", key = "", ...inner] = path;
    const known = path.length === 1 ? (this.#values.get(group) ?? this.#data(path)) : this.#data(path);
    if (known !== undefined || path.length === 1) return known;
    if (group === "include") return this.#parameters === null ? undefined : (this.#parameters.get(key) ?? "");
    if (group === "page") {
      if (key === "url" || key === "id") return "";
      return textAt(this.context.fields.get(key), inner);
    }
    if (group !== "site") return undefined;
    if (key === "baseurl") return this.#basePath();
    if (key === "url") return this.#host();
    return textAt(this.context.site.values[key], inner);
  }

  #basePath(): string {
    const { values } = this.context.site;
    const path = values["baseurl"] ?? values["root"];
    return typeof path === "string" && path !== "/" ? path.replace(/\/$/, "") : "";
  }

  #host(): string {
    const { values, url } = this.context.site;
    const host = values["url"] ?? url;
    return typeof host === "string" ? host.replace(/\/$/, "") : "";
  }

  #filter(name: string, value: string, [first = "", second = ""]: string[]): string | undefined {
    switch (name) {
      case "relative_url":
        return /^(?:https?:)?\/\//.test(value)
          ? value
          : this.#basePath() + (value.startsWith("/") ? value : `/${value}`);
      case "absolute_url": {
        if (/^(?:https?:)?\/\//.test(value)) return value;
        return this.#host() + this.#basePath() + (value.startsWith("/") ? value : `/${value}`);
      }
      case "prepend":
        return (this.evaluate(first) ?? first) + value;
      case "append":
        return value + (this.evaluate(first) ?? first);
      case "replace":
        return first === "" ? value : value.replaceAll(first, () => second);
      case "remove":
        return first === "" ? value : value.replaceAll(first, "");
      case "default":
        return value === "" ? first : value;
      case "upcase":
      case "upper":
        return value.toUpperCase();
      case "downcase":
      case "lower":
        return value.toLowerCase();
      case "capitalize":
        return value.charAt(0).toUpperCase() + value.slice(1);
      case "strip":
        return value.trim();
      case "escape":
      case "xml_escape":
      case "escape_once":
        return escapeHtml(value);
      case "url_encode":
      case "cgi_escape":
        return encodeURIComponent(value);
      case "dump":
      case "safe":
      case "url":
      case "markdownify":
      case "strip_newlines":
      case "normalize_whitespace":
      case "smartify":
      case "strip_html":
      case "uri_escape":
        return value;
      default:
        return undefined;
    }
  }
}

/** Takes out the tags of `raw`, and those alone in their lines with these; within it, no tags are read. */
function takeRaw(body: string): { text: string; isLiteral: (at: number) => boolean } {
  const ranges: { from: number; to: number }[] = [];
  if (!body.includes("raw")) return { text: body, isLiteral: () => false };
  let text = "";
  let end = 0;
  let start: number | null = null;
  const tags = [...body.matchAll(/\{%-?[ \t]{0,9}(?:end)?raw[ \t]{0,9}-?%\}/g)];
  const last = tags.findLast(({ 0: tag }) => tag.includes("endraw"))?.index ?? -1;
  for (const { 0: tag, index } of tags) {
    const isEnd = tag.includes("endraw");
    // An end without a start is text, and so is a start without an end.
    if (isEnd !== (start !== null) || index > last) continue;
    const [from, to] = wholeLine(body, index, index + tag.length);
    text += body.slice(end, Math.max(from, end));
    end = Math.max(to, end);
    if (start === null) start = text.length;
    else {
      ranges.push({ from: start, to: text.length });
      start = null;
    }
  }
  text += body.slice(end);
  if (start !== null) ranges.push({ from: start, to: text.length });
  let next = 0;
  return {
    text,
    isLiteral(at) {
      if (next > 0 && (ranges[next - 1]?.to ?? 0) > at) next = 0;
      while (next < ranges.length && (ranges[next]?.to ?? 0) <= at) next += 1;
      const range = ranges[next];
      return range !== undefined && range.from <= at;
    },
  };
}

/** The tag with its line if nothing else is in that. */
function wholeLine(text: string, from: number, to: number): [number, number] {
  let start = from;
  while (/[ \t]/.test(text[start - 1] ?? "")) start -= 1;
  let end = to;
  while (/[ \t]/.test(text[end] ?? "")) end += 1;
  const isWhole = (start === 0 || text[start - 1] === "\n") && (end === text.length || text[end] === "\n");
  return isWhole ? [start, Math.min(end + 1, text.length)] : [from, to];
}

/** The parts of `if`, `case` and `for`, with the condition of each; null: it is the last, for all other cases. */
function splitBranches(pieces: readonly Piece[]): { condition: string | null; pieces: Piece[] }[] {
  const branches: { condition: string | null; pieces: Piece[] }[] = [{ condition: null, pieces: [] }];
  for (const piece of pieces) {
    if (piece.kind === "tag" && /^(?:else|elsif|elif|elseif|when)$/.test(piece.name))
      branches.push({ condition: piece.name === "else" ? null : piece.rest, pieces: [] });
    else branches.at(-1)?.pieces.push(piece);
  }
  return branches;
}

/** Splits at `|` outside of quotation marks. */
function splitFilters(expression: string): string[] {
  const parts = [""];
  for (const [token] of expression.matchAll(/"[^"]*"|'[^']*'|\||[^"'|]+|["']/g)) {
    if (token === "|") parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim());
}

/** A text or number within a value; undefined: there is none. */
export function textAt(value: unknown, path: readonly string[]): string | undefined {
  let found = value;
  for (const key of path) found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
}

/** The folder of a file within its site: includes beside an article are found from there. */
function folderInSite(name: string): string {
  const folders = name.split("/").slice(0, -1);
  const posts = folders.findIndex((folder) => folder.startsWith("_"));
  return posts < 0 ? "" : `${folders.slice(posts).join("/")}/`;
}

/** Markdown reads HTML to the next empty line, and indented lines behind it as code. */
function withoutEmptyLines(html: string): string {
  return html
    .split("\n")
    .flatMap((line) => line.trim() || [])
    .join("\n");
}

function codeLanguage(name: string, rest: string): string {
  const { places, names } = readArguments(rest);
  const given = names.get("lang") ?? names.get("language");
  if (given !== undefined) return given;
  if (name === "codeblock") return "";
  return places[0] ?? "";
}

/** The title and the address of Octopress' and Hexo's `codeblock`: `Title lang:js https://… text of the link`. */
function codeTitle(rest: string, language: "markdown" | "html"): string {
  const words = rest.split(/\s+/).filter((word) => word !== "" && !/^[\w-]+:(?!\/\/)/.test(word));
  const at = words.findIndex((word) => /^https?:\/\//.test(word));
  const title = words.slice(0, at < 0 ? undefined : at).join(" ");
  const address = words[at];
  if (at < 0 || address === undefined) return title;
  const linked = link(words.slice(at + 1).join(" ") || address, address, language);
  return title === "" ? linked : `${title} ${linked}`;
}

/** `{% img left /a.png 100 200 "Title" "Alternative text" %}`, or named arguments. Undefined: it names no picture. */
export function pictureOf(
  rest: string,
  language: "markdown" | "html",
  isAlone: boolean,
  toAddress: (name: string) => string = (name) => name,
): Made | undefined {
  const given = readArguments(rest);
  const src = named(given, "src", "url", "path", "image_path", "image", "file", "filename", "img", "source");
  const at = given.places.findIndex((word) => src === undefined && isPicture(word));
  const address = src ?? given.places[at];
  if (address === undefined) return undefined;
  const { title, alt } = titleOf(rest, given.places.slice(at + 1));
  const caption = named(given, "caption");
  return picture(
    {
      src: toAddress(address),
      alt: named(given, "alt", "description") ?? alt ?? named(given, "title") ?? title ?? plainCaption(caption),
      caption,
      link: named(given, "link", "href"),
    },
    language,
    isAlone,
  );
}

/** The words behind a picture's sizes: in quotation marks a title, and an alternative text; else all are the title. */
function titleOf(rest: string, words: string[]): { title?: string | undefined; alt?: string | undefined } {
  const sizes = words.findIndex((word) => !/^\d+(?:px|%|em)?$/.test(word));
  const texts = sizes < 0 ? [] : words.slice(sizes);
  if (/["']/.test(rest)) {
    const inner = texts[0]?.match(/"([^"]*)"|'([^']*)'/g)?.map((text) => text.slice(1, -1));
    return inner === undefined ? { title: texts[0], alt: texts[1] } : { title: inner[0], alt: inner[1] };
  }
  return texts.length === 0 ? {} : { title: texts.join(" ") };
}

function isPicture(word: string): boolean {
  return /[/.]/.test(word) && !/^\d+(?:\.\d+)?(?:px|%|em)?$/.test(word);
}

function addressOf(name: string, rest: string): string | undefined {
  const given = readArguments(rest);
  const { places } = given;
  const id = named(given, "id", "url", "src", "link") ?? places[0] ?? "";
  const embedded = embedAddress(name, id, named(given, "user") ?? "");
  if (embedded !== undefined) return embedded;
  return isEmbed(name) ? undefined : /^(?:https?:\/\/|\/)\S+$/.test(id) ? id : undefined;
}
