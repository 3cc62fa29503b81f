/** The blocks of WordPress' editor: comments around HTML, or with settings from which WordPress makes it on display. */
import { isRecord } from "../../domain/articles/json-values.ts";
import { replaceBetween } from "../delimited.ts";
import { escapeHtml } from "../html/html-tree.ts";

/** What a post's text takes from elsewhere in its export. */
export interface BlockSources {
  /** Texts of reusable blocks by id. */
  blocks?: ReadonlyMap<string, string>;
  /** The post's footnotes, as its settings have them: JSON. */
  footnotes?: string | undefined;
}

export interface RenderedBlocks {
  html: string;
  /** Why a person should look at the text before it is published; null if it is whole. */
  doubt: string | null;
}

const MAX_NESTED = 10;
/** Characters that reusable blocks may add to one post. */
const MAX_INLINED = 5_000_000;
const MAX_WORDS_DEPTH = 20;
const MAX_NAMED = 5;

/** Renders blocks to HTML and removes their comments. What a block keeps in its settings becomes paragraphs. */
export function renderBlocks(text: string, sources: BlockSources): RenderedBlocks {
  const rendering = new Rendering(sources);
  const html = rendering.withFootnotes(rendering.render(text, [])).trim();
  const isEmptied = html === "" && text.trim() !== "";
  return { html, doubt: rendering.doubt() ?? (isEmptied ? "WordPress makes all of its text when it shows it." : null) };
}

class Rendering {
  readonly #sources: BlockSources;
  readonly #missing = new Set<string>();
  readonly #settings = new Set<string>();
  readonly #footnotes: string;
  #hasFootnotes = false;
  #inlined = 0;

  constructor(sources: BlockSources) {
    this.#sources = sources;
    this.#footnotes = footnoteList(sources.footnotes);
  }

  /** @param within the reusable blocks that are being inlined. */
  render(text: string, within: readonly string[]): string {
    return replaceBetween(text, /<!--\s+\/?wp:/g, /-->\n?/g, ([start], inside) => {
      const trimmed = inside.trimEnd();
      if (start.includes("/wp:") || !trimmed.endsWith("/")) return "";
      const [name = ""] = /^[a-z][a-z0-9/_-]*/.exec(trimmed) ?? [];
      const settings = parseSettings(trimmed.slice(name.length, -1));
      if (name === "block") return this.#reusable(String(settings["ref"]), within);
      if (name === "footnotes" && !this.#hasFootnotes) {
        this.#hasFootnotes = true;
        return this.#footnotes;
      }
      // Blocks of WordPress itself show other posts, menus and the like.
      if (!name.includes("/") || name.startsWith("core/")) return "";
      const words = [...proseIn(settings["data"] ?? settings, "", 0)];
      if (words.length > 0) this.#settings.add(name);
      return words.map((html) => `${html}\n`).join("");
    });
  }

  withFootnotes(html: string): string {
    return this.#hasFootnotes || this.#footnotes === "" ? html : `${html.trimEnd()}\n\n${this.#footnotes}`;
  }

  doubt(): string | null {
    const parts: string[] = [];
    if (this.#missing.size > 0) parts.push(`Its reusable blocks are not in the export (${named(this.#missing)}).`);
    if (this.#settings.size > 0)
      parts.push(`The words of some blocks come from their settings, without their form (${named(this.#settings)}).`);
    return parts.length === 0 ? null : parts.join(" ");
  }

  #reusable(id: string, within: readonly string[]): string {
    const text = this.#sources.blocks?.get(id);
    this.#inlined += text?.length ?? 0;
    // A block that contains itself shows nothing there.
    if (within.includes(id)) return "";
    if (text === undefined || within.length >= MAX_NESTED || this.#inlined > MAX_INLINED) {
      this.#missing.add(id);
      return "";
    }
    return `${this.render(text, [...within, id]).trim()}\n`;
  }
}

function named(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, MAX_NAMED).join(", ");
  return names.size > MAX_NAMED ? `${shown} …` : shown;
}

function parseSettings(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Names of settings whose values are words, however few. */
const WORDY =
  /(?:title|text|head(?:line|ing)?|label|content|description|question|answer|quote|caption|body|intro|copy)$/i;
/** Names of settings that no reader sees. */
const TECHNICAL =
  /^_|^(?:name|id|mode|align|anchor|layout|style|type|icon|unit|tag|className)$|(?:class|color|url|link|size)$/i;

/** The texts among a block's settings as HTML. */
function* proseIn(value: unknown, name: string, depth: number): Generator<string> {
  if (depth > MAX_WORDS_DEPTH) return;
  if (typeof value === "string") {
    if (isProse(value.trim(), name))
      yield /<\/[a-z]|<(?:br|hr|img)\b/i.test(value) ? value.trim() : `<p>${escapeHtml(value.trim())}</p>`;
  } else if (Array.isArray(value)) for (const one of value) yield* proseIn(one, name, depth + 1);
  else if (isRecord(value))
    for (const [key, one] of Object.entries(value)) if (!TECHNICAL.test(key)) yield* proseIn(one, key, depth + 1);
}

function isProse(text: string, name: string): boolean {
  if (!/\p{L}/u.test(text) || /^(?:https?:\/\/|#|field_)\S*$/i.test(text)) return false;
  return (
    WORDY.test(name) ||
    /[\p{L}.,:;!?]\s+\p{L}/u.test(text) ||
    /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(text)
  );
}

/** The list that WordPress shows. Their marks in the text refer to its ids. */
function footnoteList(json: string | undefined): string {
  if (json === undefined) return "";
  let notes: unknown;
  try {
    notes = JSON.parse(json);
  } catch {
    return "";
  }
  const items = (Array.isArray(notes) ? notes : []).filter(isRecord).flatMap(({ id, content }, index) => {
    if (typeof id !== "string" || typeof content !== "string") return [];
    const mark = `<a href="#${escapeHtml(id)}-link" aria-label="Jump to footnote reference ${index + 1}">↩︎</a>`;
    return [`<li id="${escapeHtml(id)}">${content} ${mark}</li>`];
  });
  return items.length === 0 ? "" : `<ol class="wp-block-footnotes">${items.join("")}</ol>\n`;
}
