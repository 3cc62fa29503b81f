import { fencedParts } from "./structure.ts";
import { escapeHtml } from "../html/html-tree.ts";

/** Converts tags of site generators with an obvious meaning; the others stay, for people to see what is missing. */
export function replaceTemplateTags(body: string, language: "markdown" | "html", isJekyll: boolean): string {
  if (!/\{[{%]/.test(body)) return body;
  // Jekyll runs Liquid before Markdown, so its `raw` tags surround code as well.
  const text = isJekyll ? body.replace(/\{%-?\s*(?:end)?raw\s*-?%\}[ \t]*\n?/g, "") : body;
  if (language === "html") return replaceTags(text, htmlCode);
  return fencedParts(text)
    .map((part) => (part.isCode ? part.text : replaceTags(part.text, fencedCode)))
    .join("\n");
}

/** A tag in a text: `{% name … %}`, `{{< name … >}}`, `{{% name … %}}` or `{{ name … }}`. */
interface Tag {
  from: number;
  to: number;
  name: string;
  /** The text after the name. */
  rest: string;
}

type CodeBlock = (language: string, code: string) => string;

function replaceTags(text: string, codeBlock: CodeBlock): string {
  const tags = findTags(text);
  const ends = new Ends(tags);
  let done = "";
  let from = 0;
  for (const [index, tag] of tags.entries()) {
    if (tag.from < from) continue;
    const end = tag.name === "comment" || tag.name === "highlight" ? ends.of(tag.name, index) : undefined;
    const made = end === undefined ? single(tag, text) : renderPair(tag, text.slice(tag.to, end.from), codeBlock);
    if (made === null) continue;
    done += text.slice(from, tag.from) + made;
    from = end?.to ?? tag.to;
  }
  return done + text.slice(from);
}

/** A tag cannot contain the start of another one, so that matching takes linear time. */
const TAG = /(?<!\{)\{%([^%]*)%\}|\{\{([^{}]*)\}\}/g;

function findTags(text: string): Tag[] {
  const tags: Tag[] = [];
  for (const found of text.matchAll(TAG)) {
    const [whole, liquid, braced = ""] = found;
    const inside = liquid === undefined ? withoutEdges(braced, /^[<%]/, /[>%]$/) : withoutEdges(liquid, /^-/, /-$/);
    const words = inside.trim();
    const name = /^\/?\s*\w*/.exec(words)?.[0] ?? "";
    tags.push({
      from: found.index,
      to: found.index + whole.length,
      name: name.startsWith("/") ? `end${name.slice(1).trim()}` : name,
      rest: words.slice(name.length).trim(),
    });
  }
  return tags;
}

function withoutEdges(text: string, start: RegExp, end: RegExp): string {
  return text.replace(start, "").replace(end, "");
}

class Ends {
  readonly #tags: readonly Tag[];
  readonly #next = new Map<string, number>();

  constructor(tags: readonly Tag[]) {
    this.#tags = tags;
  }

  /** The first `end…` tag after the tag with this index. Each tag is visited once, however many starts there are. */
  of(name: string, index: number): Tag | undefined {
    let at = Math.max(this.#next.get(name) ?? 0, index + 1);
    while (at < this.#tags.length && this.#tags[at]?.name !== `end${name}`) at += 1;
    this.#next.set(name, at);
    return this.#tags[at];
  }
}

/** The replacement for a tag, its end tag and the text between them. */
function renderPair({ name, rest }: Tag, inside: string, codeBlock: CodeBlock): string {
  if (name === "comment") return "";
  return codeBlock(/^"?([\w+#-]+)/.exec(rest)?.[1] ?? "", inside.replace(/^\n/, ""));
}

/** The replacement for a tag without an end tag; null: it stays. */
function single({ from, name, rest }: Tag, text: string): string | null {
  if (!text.startsWith("{{", from)) return null;
  if (name === "figure") return figure(rest);
  if (name !== "youtube" && name !== "vimeo") return null;
  const id = /^(?:\(\s*id\s*=\s*)?(?:id=)?"?([\w-]+)/.exec(rest)?.[1];
  return id === undefined ? null : videoAddress(name, id);
}

function videoAddress(host: string, id: string): string {
  return host === "youtube" ? `https://www.youtube.com/watch?v=${id}` : `https://vimeo.com/${id}`;
}

function fencedCode(language: string, code: string): string {
  const fence = code.includes("```") ? "````" : "```";
  return `${fence}${language}\n${code.replace(/\n?$/, "\n")}${fence}`;
}

function htmlCode(language: string, code: string): string {
  const classes = language === "" ? "" : ` class="language-${language}"`;
  return `<pre><code${classes}>${escapeHtml(code)}</code></pre>`;
}

function figure(attributes: string): string | null {
  const values = new Map(
    [...attributes.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name, value]) => [name ?? "", escapeHtml(value ?? "")]),
  );
  const src = values.get("src");
  if (src === undefined) return null;
  const caption = values.get("caption") ?? values.get("title");
  const image = `<img src="${src}" alt="${values.get("alt") ?? caption ?? ""}">`;
  return caption === undefined ? image : `<figure>${image}<figcaption>${caption}</figcaption></figure>`;
}
