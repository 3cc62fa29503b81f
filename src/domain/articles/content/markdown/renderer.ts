import { Renderer, type Token, type Tokens } from "marked";
import type { Container, DefinitionList, Formula, Note } from "./blocks.ts";
import type { BoundedTable, ExcessCells } from "./bounded-lexer.ts";
import { nameHeadings } from "./headings.ts";
import type { TableCell } from "./table-rows.ts";
import { PREFIX } from "../html/prefix-names.ts";
import { escapeAttribute, escapeText } from "../html/tree.ts";
import { EMOJI_NAMES } from "./emoji-names.ts";

/** Writes the HTML of an article's tokens: headings with ids, emoji, and footnotes as GitHub writes them. */
export class ArticleRenderer extends Renderer {
  excess: ExcessCells | null = null;
  /** Renderers of tokens that marked does not know. */
  readonly extensions = {
    renderers: {
      note: () => "",
      noteReference: (token: Tokens.Generic) => this.#reference(String(token["label"])),
      container: (token: Tokens.Generic) => this.#container(token as Container),
      summary: ({ tokens = [] }: Tokens.Generic) => `<summary>${this.parser.parseInline(tokens)}</summary>\n`,
      definitions: (token: Tokens.Generic) => this.#definitions(token as DefinitionList),
      formula: (token: Tokens.Generic) => `<p>${escapeText((token as Formula).text)}</p>\n`,
    },
    childTokens: {},
  };
  readonly #ids: ReadonlyMap<Token, string>;
  readonly #named: ReadonlyMap<string, Note>;
  /** Notes in the order of their first references, with the number of these. */
  readonly #read: { note: Note; references: number }[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #notes: readonly Note[];

  constructor(tokens: readonly Token[], notes: readonly Note[]) {
    super();
    this.#ids = nameHeadings(tokens);
    this.#notes = notes;
    // The first of a name is the one that is meant.
    this.#named = new Map(notes.toReversed().map((note) => [note.label, note]));
  }

  override heading(token: Tokens.Heading): string {
    const id = this.#ids.get(token);
    const name = id === undefined ? "" : ` id="${PREFIX}${escapeAttribute(id)}"`;
    return `<h${token.depth}${name}>${this.parser.parseInline(token.tokens)}</h${token.depth}>\n`;
  }

  override text(token: Tokens.Text | Tokens.Escape): string {
    const html = super.text(token);
    return token.type === "text" && !("tokens" in token) && token.escaped !== true ? withEmoji(html) : html;
  }

  override table(token: Tokens.Table | BoundedTable): string {
    if ("excess" in token && token.excess.cells > 0) {
      const { cells = 0, characters = 0, first = token.excess.first } = this.excess ?? {};
      const { excess } = token;
      this.excess = { cells: cells + excess.cells, characters: characters + excess.characters, first };
    }
    return super.table(token);
  }

  override tablecell(token: Tokens.TableCell | TableCell): string {
    const html = super.tablecell(token);
    const { rowSpan = 1, blocks }: TableCell = token;
    const span = rowSpan === 1 ? "" : ` rowspan="${rowSpan}"`;
    const tag = html.slice(0, html.indexOf(">"));
    const inside = blocks === undefined ? html.slice(tag.length + 1) : `${this.parser.parse(blocks).trimEnd()}</td>\n`;
    return `${tag}${span}>${inside}`;
  }

  /** Lets links within the article lead to its headings: each id has the prefix that sanitising demands. */
  prefixLinks(html: string): string {
    if (!html.includes('href="#')) return html;
    const ids = new Set(this.#ids.values());
    return html.replaceAll(/href="#([^"]*)"/g, (written, target: string) =>
      ids.has(decode(target)) ? `href="#${PREFIX}${target}"` : written,
    );
  }

  /** The list at the end of the article. Notes without a reference come last: nothing that was written is lost. */
  writeNotes(): string {
    if (this.#notes.length === 0) return "";
    const items: string[] = [];
    const left = new Set(this.#notes);
    for (let index = 0; left.size > 0; index += 1) {
      const [next] = left;
      const entry = this.#read[index] ?? { note: next as Note, references: 0 };
      if (this.#read[index] === undefined) this.#read.push(entry);
      left.delete(entry.note);
      items.push(this.parser.parse(entry.note.tokens));
    }
    // A note may refer to another: only now is it known how often each is referred to.
    const list = items.map((html, index) => noteItem(html.trimEnd(), index + 1, this.#read[index]?.references ?? 0));
    return `<section class="footnotes" data-footnotes="">\n<ol>\n${list.join("")}</ol>\n</section>\n`;
  }

  #reference(label: string): string {
    const note = this.#named.get(label);
    let number = this.#numbers.get(label);
    if (number === undefined && note !== undefined) {
      this.#read.push({ note, references: 0 });
      number = this.#read.length;
      this.#numbers.set(label, number);
    }
    const entry = number === undefined ? undefined : this.#read[number - 1];
    if (number === undefined || entry === undefined) return escapeText(`[^${label}]`);
    entry.references += 1;
    return `<sup><a href="#${PREFIX}fn-${number}" id="${referenceId(number, entry.references)}" data-footnote-ref="">${number}</a></sup>`;
  }

  #container({ kind, tokens }: Container): string {
    const html = this.parser.parse(tokens);
    if (kind === "plain") return html;
    const name = kind === "quote" ? "blockquote" : "details";
    return `<${name}>\n${html}</${name}>\n`;
  }

  #definitions({ items }: DefinitionList): string {
    const rows = items.map(({ tag, tokens }) => {
      const html = tag === "dt" ? this.parser.parseInline(tokens) : this.parser.parse(tokens);
      return `<${tag}>${html.startsWith("<p>") ? `\n${html}` : html}</${tag}>\n`;
    });
    return `<dl>\n${rows.join("")}</dl>\n`;
  }
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

function referenceId(number: number, reference: number): string {
  return `${PREFIX}fnref-${number}${reference === 1 ? "" : `-${reference}`}`;
}

/** Puts the links back to the references behind the last paragraph. */
function noteItem(html: string, number: number, references: number): string {
  const links = Array.from({ length: references }, (_none, index) => {
    const sign = index === 0 ? "↩" : `↩<sup>${index + 1}</sup>`;
    const label = `Back to reference ${number}${index === 0 ? "" : `-${index + 1}`}`;
    return ` <a href="#${referenceId(number, index + 1)}" data-footnote-backref="" aria-label="${label}">${sign}</a>`;
  }).join("");
  const isParagraph = html.endsWith("</p>");
  const text = isParagraph
    ? `${html.slice(0, -4)}${links}</p>`
    : `${html}${html === "" ? links.trimStart() : `\n<p>${links.trimStart()}</p>`}`;
  return `<li id="${PREFIX}fn-${number}">\n${links === "" ? html : text}\n</li>\n`;
}

/** Puts the emoji for each name of GitHub's list that stands alone: `:tada:`. */
function withEmoji(text: string): string {
  if (!text.includes(":")) return text;
  return text.replaceAll(STANDING, (run) =>
    run.replaceAll(NAME, (written, name: string) => getNames().get(name) ?? written),
  );
}

const STANDING = /(?<![\w:/])(?::[a-z0-9_+-]{1,60}:)+(?![\w:])/g;
const NAME = /:([a-z0-9_+-]{1,60}):/g;

let names: ReadonlyMap<string, string> | undefined;

/** Read when a name is met first, which most articles spare. */
function getNames(): ReadonlyMap<string, string> {
  names ??= new Map(
    EMOJI_NAMES.trim()
      .split(/[|\n]/)
      .flatMap((entry) => {
        const [emoji = "", list = ""] = entry.split(" ");
        return list.split(",").map((name): [string, string] => [name, emoji]);
      }),
  );
  return names;
}
