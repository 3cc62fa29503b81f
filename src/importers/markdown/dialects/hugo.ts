import { isRecord } from "../../../domain/articles/json-values.ts";
import {
  type Arguments,
  box,
  boxWord,
  codeBlock,
  destination,
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
  strongLine,
  trimLines,
  unwrapped,
} from "./constructs.ts";
import type { ConvertContext, Dialect } from "./dialect.ts";
import { prose } from "../structure.ts";
import { textAt } from "./liquid.ts";
import { type Made, type Place, writePieces } from "./output.ts";
import { splitFrontMatter } from "../front-matter.ts";
import { includedFiles, pageIn } from "./paths.ts";
import { Includes } from "./prose.ts";
import { findTags, type Piece, type Tag, type TagSyntax } from "./tags.ts";

export const hugo: Dialect = {
  name: "hugo",
  label: "Hugo",
  isLikely: ({ body }) => /\{\{[<%]/.test(body) && /\{\{(?:<[^{}]*>|%[^{}]*%)\}\}/.test(prose(body)),
  convert: (body, context) => new Shortcodes(context).convert(body),
};

const CODE_TAGS: ReadonlySet<string> = new Set([
  "highlight",
  "code",
  "code-toggle",
  "codeblock",
  "prettify",
  "mermaid",
]);
const FORMULA_TAGS: ReadonlySet<string> = new Set(["katex", "math", "mathjax", "latex"]);
const HTML_TAGS: ReadonlySet<string> = new Set(["html", "raw", "rawhtml"]);
const BOX_TAGS: ReadonlySet<string> = new Set(
  "admonition alert attention box callout caution danger error hint important info note notice success tip warn warning".split(
    " ",
  ),
);
const FOLD_TAGS: ReadonlySet<string> = new Set("collapse details expand fold spoiler".split(" "));
const PICTURE_TAGS: ReadonlySet<string> = new Set(
  "figure image img imgproc picture resize-image responsive-image".split(" "),
);
const TAB_TAGS: ReadonlySet<string> = new Set(["codetab", "tab", "tab-item"]);
const LINK_TAGS: ReadonlySet<string> = new Set(["button", "link", "linkcard", "href"]);
const INCLUDE_TAGS: ReadonlySet<string> = new Set(["include", "readfile", "readFile", "snippet"]);
const SILENT_TAGS: ReadonlySet<string> = new Set(["toc", "clear", "lead-in", "table_of_contents"]);
/** Wrappers whose look is all that they add. */
const PLAIN_TAGS: ReadonlySet<string> = new Set(
  "center column columns div lead tabpane tabs tabgroup codetabs steps step section typeit".split(" "),
);

const SYNTAX: TagSyntax = {
  forms: [
    { open: "{{<", close: ">}}" },
    { open: "{{%", close: "%}}" },
  ],
  read(inside) {
    const words = inside.trim();
    if (words.startsWith("/*")) return { name: "/*", rest: words, isEnd: false };
    const [start = "", slash, name = ""] = /^(\/?)[ \t]{0,9}([\w./-]+)/.exec(words) ?? [];
    if (slash === undefined) return null;
    const rest = words.slice(start.length).trim();
    // One that ends itself has nothing inside.
    return { name, rest: rest.endsWith("/") ? rest.slice(0, -1) : rest, isEnd: slash === "/" };
  },
  isVerbatim: (name) => CODE_TAGS.has(name) || FORMULA_TAGS.has(name) || HTML_TAGS.has(name) || name === "comment",
};

class Shortcodes {
  readonly #context: ConvertContext;
  #includes = new Includes("");

  constructor(context: ConvertContext) {
    this.#context = context;
  }

  convert(body: string): string {
    this.#includes = new Includes(body);
    const text = withoutComments(body);
    const { language } = this.#context;
    const made = /\{\{[<%]/.test(text) ? this.#write(findTags(text, SYNTAX, language)) : text;
    return language === "markdown" ? withoutAttributes(made) : made;
  }

  #write(pieces: readonly Piece[]): string {
    return writePieces(pieces, {
      tag: (tag, place) => this.#tag(tag, place),
      text: (text) => text,
      // A shortcode that is shown is commented out in code as well.
      code: (code) =>
        code.replaceAll(/\{\{([<%])\/\*|\*\/([>%])\}\}/g, (_found, open?: string, close?: string) =>
          open === undefined ? `${close}}}` : `{{${open}`,
        ),
    });
  }

  #inside(tag: Tag, place: Place): string {
    return place.outdent(this.#write(tag.inside ?? []));
  }

  #tag(tag: Tag, place: Place): Made {
    const { name, rest, verbatim } = tag;
    const { language } = this.#context;
    if (name === "/*") return escaped(tag);
    if (name === "comment" || name.startsWith("/") || SILENT_TAGS.has(name)) return "";
    const given = readArguments(rest);
    const [first = ""] = given.places;
    if (verbatim !== null) return this.#verbatim(tag, given, place.outdent(verbatim), place);
    if (name === "ref" || name === "relref") return this.#reference(named(given, "path") ?? first);
    if (name === "param") return this.#parameter(tag, first);
    if (name === "br") return "<br>";
    if (FORMULA_TAGS.has(name)) return "";
    if (PICTURE_TAGS.has(name)) {
      const made = this.#picture(tag, given, place);
      if (made !== undefined) return made;
    }
    if (BOX_TAGS.has(name)) {
      const made = this.#box(tag, given, place);
      if (made !== undefined) return made;
    }
    if (FOLD_TAGS.has(name) && tag.inside !== null) {
      const summary = named(given, "summary", "title", "label") ?? (first || "Details");
      return details(summary, this.#inside(tag, place));
    }
    if (TAB_TAGS.has(name) && tag.inside !== null) {
      const title = named(given, "title", "name", "header", "label") ?? first;
      const inside = trimLines(this.#inside(tag, place));
      return { block: title === "" ? inside : `${strongLine(title, language)}\n\n${inside}` };
    }
    if (LINK_TAGS.has(name)) {
      const made = this.#link(tag, given, place);
      if (made !== undefined) return made;
    }
    if (name === "blockquote" || name === "quote") {
      if (tag.inside !== null) return this.#quote(tag, given, place);
    }
    const address = embedOf(name, given);
    if (address !== undefined) return embed(address, language, place.isAlone);
    if (PLAIN_TAGS.has(name) && tag.inside !== null) return unwrapped(given, this.#inside(tag, place), language);
    if (tag.inside === null && INCLUDE_TAGS.has(name)) {
      const made = this.#include(named(given, "file", "path") ?? first);
      if (made !== undefined) return made;
    }
    this.#context.warnings.add("construct_replaced", tag.source);
    return tag.inside === null
      ? salvage(given, language, place.isAlone)
      : unwrapped(given, this.#inside(tag, place), language);
  }

  /** A page or file that is included; undefined: it is not there. */
  #include(file: string): Made | undefined {
    const { pathInSite, site, language } = this.#context;
    if (!/^[\w./-]+$/.test(file) || file.includes("..")) return undefined;
    for (const path of includedFiles(pathInSite, file)) {
      const text = site.readFile(path);
      if (text === null) continue;
      const made = this.#includes.add(text.replaceAll("\r\n", "\n"), () => {
        const { body } = splitFrontMatter(text.replaceAll("\r\n", "\n"));
        return this.#write(findTags(withoutComments(body), SYNTAX, language));
      });
      return made === null ? undefined : { block: trimLines(made) };
    }
    return undefined;
  }

  #verbatim({ name }: Tag, given: Arguments, text: string, { isAlone }: Place): Made {
    const { language } = this.#context;
    if (HTML_TAGS.has(name)) return { block: trimLines(text) };
    if (FORMULA_TAGS.has(name)) {
      const isBlock = isAlone || text.includes("\n") || given.places.includes("display");
      return isBlock ? { block: `$$\n${text.trim()}\n$$` } : `$${text.trim()}$`;
    }
    const codeLanguage = named(given, "lang", "language") ?? given.places[0] ?? "";
    return codeBlock(name === "mermaid" ? name : codeLanguage, text, language);
  }

  #reference(path: string): string {
    const { pathInSite, site } = this.#context;
    const [page = "", anchor] = path.split("#", 2);
    const file = page === "" ? "" : pageIn(pathInSite, page, (one) => site.readFile(one) !== null);
    return destination(anchor === undefined ? file : `${file}#${anchor}`);
  }

  #parameter(tag: Tag, name: string): string {
    const { fields, site } = this.#context;
    const [key = "", ...path] = name.split(".");
    const params = site.values["params"];
    const value = textAt(fields.get(key), path) ?? (isRecord(params) ? textAt(params, [key, ...path]) : undefined);
    if (value !== undefined) return value;
    this.#context.warnings.add("construct_replaced", tag.source);
    return "";
  }

  #picture(tag: Tag, given: Arguments, place: Place): Made | undefined {
    const src = named(given, "src", "url", "path", "image", "file") ?? given.places.find((word) => /[/.]/.test(word));
    if (src === undefined) return undefined;
    const { language } = this.#context;
    const inside = tag.inside === null ? undefined : this.#inside(tag, place).trim();
    const credit = named(given, "attr");
    const by = credit === undefined ? undefined : withLink(credit, named(given, "attrlink"), language);
    const parts = [named(given, "title"), named(given, "caption") ?? inside, by].filter((part) => part !== undefined);
    const caption = parts.filter((part) => part !== "").join(" ");
    const alt = named(given, "alt") ?? plainCaption(caption);
    const href = named(given, "link", "href");
    const shown = { src, alt, caption: caption === "" ? undefined : caption, link: href };
    return picture(shown, language, place.isAlone || tag.inside !== null);
  }

  #box(tag: Tag, given: Arguments, place: Place): Made | undefined {
    const { language } = this.#context;
    const [first = "", ...others] = given.places;
    const isKind = /^(?:admonition|alert|callout|hint|notice|box)$/.test(tag.name) && /^[a-z-]+$/.test(first);
    const kind = named(given, "type", "kind", "level") ?? (isKind ? first : tag.name);
    const title =
      named(given, "title", "header", "summary") ?? (isKind ? others.join(" ") : [first, ...others].join(" "));
    const inside = tag.inside === null ? named(given, "text", "content", "body") : this.#inside(tag, place);
    return inside === undefined ? undefined : box(boxWord(kind, title), inside, language);
  }

  #link(tag: Tag, given: Arguments, place: Place): Made | undefined {
    const own = named(given, "href", "url", "link", "to");
    const page = named(given, "relref", "ref");
    const isAddress = /^(?:https?:\/\/|\/|#|mailto:)/;
    const address =
      own ?? (page === undefined ? given.places.find((word) => isAddress.test(word)) : this.#reference(page));
    if (address === undefined) return undefined;
    const words = given.places.filter((word) => word !== address).join(" ");
    const inside = tag.inside === null ? "" : this.#inside(tag, place).trim();
    const text = inside || named(given, "text", "title", "label", "name") || words || address;
    return link(text, address, this.#context.language);
  }

  #quote(tag: Tag, given: Arguments, place: Place): Made {
    const { language } = this.#context;
    const author = named(given, "author", "by", "cite") ?? given.places.join(" ");
    const source = named(given, "link", "source", "url");
    const by = author === "" && source === undefined ? "" : `— ${withLink(author || (source ?? ""), source, language)}`;
    const inside = trimLines(this.#inside(tag, place));
    return box(
      "",
      by === "" ? inside : language === "html" ? `${inside}\n<p>${by}</p>` : `${inside}\n\n${by}`,
      language,
    );
  }
}

function embedOf(name: string, given: Arguments): string | undefined {
  const { places } = given;
  const url = named(given, "url", "src", "link", "href") ?? places.find((word) => /^https?:\/\//.test(word));
  const known = name === "youtubepl" ? "ytplaylist" : name.replace(/(?:_simple|-simple|-embed)$/, "");
  if (isEmbed(known)) {
    const [first = "", second = ""] = places;
    if (known === "gist" && second !== "") return embedAddress("gist", second, first);
    const user = named(given, "user") ?? (second !== "" && /^\d+$/.test(second) ? first : "");
    const id = named(given, "id", "videoid", "pen") ?? url ?? (user === first && second !== "" ? second : first);
    return embedAddress(known, id, user);
  }
  const isFile = /^(?:audio|video|iframe|mp3|mp4|pdf|embed|bookmark|embed-pdf)$/.test(name);
  const file = url ?? places[0];
  return isFile && file !== undefined && /^(?:https?:\/\/|\.?\/|[\w-]+\.)\S*$/.test(file) ? file : undefined;
}

function withLink(text: string, address: string | undefined, language: "markdown" | "html"): string {
  return address === undefined ? text : link(text, address, language);
}

/** A shortcode within the signs of a comment is shown without these. */
function escaped({ source, open }: Tag): string {
  const shown = source.replace("/*", "").replace(/\*\/([>%]\}\})$/, "$1");
  return open === "{{<" ? shown.replace("<", "&lt;").replace(/>\}\}$/, "&gt;}}") : shown;
}

/** Comments of a template: nothing of them is shown. */
function withoutComments(text: string): string {
  return text.includes("{{/*") ? text.replaceAll(/\{\{\/\*[^{}]*\*\/\}\}/g, "") : text;
}

/** Lines of attributes behind a paragraph, a picture or a list, which only change its look. */
function withoutAttributes(text: string): string {
  if (!/^[ \t>]*\{[.#\w]/m.test(text) && !/^[ \t>]*(?:`{3,}|~{3,})[\w+#.-]*[ \t]*\{/m.test(text)) return text;
  let isAfterText = false;
  let fence = "";
  const lines = text.split("\n").flatMap((line) => {
    const words = line.replace(/^[ \t>]+/, "").trimEnd();
    const mark = /^(?:`{3,}|~{3,})/.exec(words)?.[0] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence) && words === mark) fence = "";
      isAfterText = true;
      return line;
    }
    if (mark !== "") {
      fence = mark;
      return line.replace(/^([ \t>]*(?:`{3,}|~{3,})[\w+#.-]*)[ \t]*\{[^{}]*\}[ \t]*$/, "$1");
    }
    const isAttributes = isAfterText && ATTRIBUTES.test(words);
    isAfterText = words !== "";
    return isAttributes ? [] : line;
  });
  return lines.join("\n");
}

const ATTRIBUTES = /^\{[ \t]{0,9}(?:[.#][\w-]|[\w-]{1,40}=)[^{}]*\}$/;
