import { Hooks, Lexer, type MarkedOptions, type Token, Tokenizer, type Tokens, type TokensList } from "marked";
import {
  type BlockLexer,
  boxTitle,
  extraBlock,
  findExtraBlock,
  mayHaveExtraBlocks,
  type Note,
  strongLine,
} from "./blocks.ts";
import { characterBefore, hasCjkBesideMark, maskCjk } from "./emphasis.ts";
import { findFormula, formulaAt, maskFormulas } from "./formulas.ts";
import { type NamedHeading, splitAttributes } from "./headings.ts";
import { type CellLexer, joinRows, spanRows, splitCells, type TableCell, withoutContinuation } from "./table-rows.ts";

/** Thrown for Markdown that would take too much time or memory; the message says of what. */
export class TooMuchMarkdown extends Error {}

/** Maximum nesting of quotes and lists. The content of each is read once more for every container around it. */
const MAX_DEPTH = 50;
/** Maximum of cells: a base plus one a character, up to the absolute maximum. Each costs 1 kB and 30 µs. */
const FEW_TABLE_CELLS = 5_000;
const MAX_TABLE_CELLS = 100_000;
/** Characters that may be read again: a base plus some a character, 60 to 170 ns each. Articles need a tenth. */
const FIXED_WORK = 6_000_000;
const WORK_PER_CHARACTER = 15;
const EMPHASIS_WEIGHT = 1;
const OTHER_WEIGHT = 1 / 16;

const MAX_DEFINITIONS = 5_000;
/** Headings, paragraphs, items and the empty lines between them; each costs up to 15 µs. A book has a tenth. */
const MAX_BLOCKS = 50_000;

/** Table text that is not shown: GFM drops the cells that a row has beyond those of the header. */
export interface ExcessCells {
  /** Number of dropped cells that have text. */
  cells: number;
  characters: number;
  /** The first of them, and the cell before it. */
  first: { before: string; text: string };
}

export interface BoundedTable extends Tokens.Table {
  rows: TableCell[][];
  excess: ExcessCells;
}

/** Maximum number of HTML blocks without an end; each costs a scan of the rest of the source. */
const MAX_UNCLOSED = 20;

/**
 * Reads GFM with the blocks of blocks.ts, formulas, ids of headings, alerts, and emphasis beside Chinese, Japanese and Korean.
 *
 * Counts the work of marked before it is done. marked reads to the end of the paragraph for each character that could
 * begin something, and a container as often as it is nested: 90 kB of `*a_` took 80 s. @throws TooMuchMarkdown
 */
export class BoundedLexer extends Lexer {
  readonly #work: Work;
  readonly #tokenizer: BoundedTokenizer;
  /** Footnotes, in the order of the source. */
  readonly notes: Note[] = [];
  #depth = 0;
  #hasFormulas = false;
  #hasExtraBlocks = false;

  constructor(options: MarkedOptions, length: number) {
    const work = new Work(length);
    const notes = new Set<string>();
    const tokenizer = new BoundedTokenizer(work, notes);
    const lexer: BlockLexer = {
      readBlocks: (text, isTight) => this.#readBlocks(text, isTight),
      inline: (text) => this.inline(text),
      addWork: (characters) => work.add(characters * OTHER_WEIGHT),
      unclosed: 0,
      addNote: (note) => {
        work.addDefinition();
        notes.add(note.label);
        this.notes.push(note);
      },
    };
    const block = (source: string) => (this.#hasExtraBlocks ? extraBlock(source, lexer) : undefined);
    const startBlock = (source: string) => (this.#hasExtraBlocks ? findExtraBlock(source) : undefined);
    const extensions = { block: [block], startBlock: [startBlock], renderers: {}, childTokens: {} };
    super({ ...options, tokenizer, extensions });
    this.#work = work;
    this.#tokenizer = tokenizer;
  }

  override lex(source: string): TokensList {
    this.#hasFormulas = source.includes("$") || source.includes("\\(");
    this.#tokenizer.hasFormulas = this.#hasFormulas;
    this.#hasExtraBlocks = mayHaveExtraBlocks(source);
    if (hasCjkBesideMark(source)) this.#tokenizer.minimiseSpaces();
    return super.lex(source);
  }

  #readBlocks(source: string, isTight: boolean): Token[] {
    const { top } = this.state;
    this.state.top = !isTight;
    const tokens = this.blockTokens(source, []);
    this.state.top = top;
    return tokens;
  }

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new TooMuchMarkdown(`is nested more than ${MAX_DEPTH} deep`);
    this.#work.add(source.length);
    const { isInQuote } = this.#tokenizer;
    this.#tokenizer.isInQuote = false;
    const before = tokens.length;
    try {
      const read = super.blockTokens(source, tokens, lastParagraphClipped);
      this.#work.addBlocks(read.length - before);
      return read;
    } finally {
      this.#depth -= 1;
      this.#tokenizer.isInQuote = isInQuote;
    }
  }

  override inlineTokens(source: string, tokens?: Token[]): Token[] {
    // marked lists all defined names for each piece of text.
    this.#work.add(this.#work.definitions);
    const mask = this.#maskFor(source);
    this.options.hooks = mask === undefined ? null : Object.assign(new Hooks(), { emStrongMask: mask });
    return super.inlineTokens(source, tokens);
  }

  /** @returns a function that hides formulas and marks CJK text for marked's search for emphasis; undefined if the text has neither. */
  #maskFor(source: string): ((masked: string) => string) | undefined {
    if (!/[*_~]/.test(source)) return undefined;
    const hasFormulas = this.#hasFormulas && (source.includes("$") || source.includes("\\("));
    const isCjk = hasCjkBesideMark(source);
    if (!hasFormulas && !isCjk) return undefined;
    return (masked) => {
      const text = hasFormulas ? maskFormulas(source, masked) : masked;
      return isCjk ? maskCjk(text) : text;
    };
  }
}

class Work {
  definitions = 0;
  readonly #maxCells: number;
  #cells = 0;
  #blocks = 0;
  #left: number;

  constructor(length: number) {
    this.#left = FIXED_WORK + WORK_PER_CHARACTER * length;
    this.#maxCells = Math.min(MAX_TABLE_CELLS, FEW_TABLE_CELLS + length);
  }

  add(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TooMuchMarkdown("has a paragraph with too many marks of emphasis, links or quotes");
  }

  addDefinition(): void {
    this.definitions += 1;
    if (this.definitions <= MAX_DEFINITIONS) return;
    throw new TooMuchMarkdown(`defines more than ${MAX_DEFINITIONS.toLocaleString("en-US")} addresses for its links`);
  }

  addBlocks(blocks: number): void {
    this.#blocks += blocks;
    if (this.#blocks <= MAX_BLOCKS) return;
    throw new TooMuchMarkdown(
      `has more than ${MAX_BLOCKS.toLocaleString("en-US")} headings, paragraphs, and items of lists`,
    );
  }

  addCells(cells: number): void {
    this.#cells += cells;
    if (this.#cells > this.#maxCells) {
      const most = MAX_TABLE_CELLS.toLocaleString("en-US");
      throw new TooMuchMarkdown(`has tables with too many cells (at most ${most}, fewer in a short text)`);
    }
  }
}

class BoundedTokenizer extends Tokenizer {
  /** Whether marked reads a quote, and not the blocks in it. */
  isInQuote = false;
  hasFormulas = false;
  readonly #work: Work;
  /** The names of the footnotes. */
  readonly #notes: ReadonlySet<string>;
  #unclosed = 0;

  constructor(work: Work, notes: ReadonlySet<string>) {
    super();
    this.#work = work;
    this.#notes = notes;
  }

  /** Not an override for all texts: marked prepares each text for one, which takes time. */
  minimiseSpaces(): void {
    this.emStrong = (source, masked, before = "") => super.emStrong(source, masked, characterBefore(source, before));
  }

  /** Called first wherever something could begin inside a paragraph. */
  override escape(source: string): Tokens.Escape | undefined {
    const isEmphasis = source.startsWith("*") || source.startsWith("_");
    this.#work.add(source.length * (isEmphasis ? EMPHASIS_WEIGHT : OTHER_WEIGHT));
    if (this.hasFormulas && !this.lexer.state.inRawBlock && /^[$\\]/.test(source)) {
      const formula = formulaAt(source);
      if (formula !== "") return { type: "escape", raw: formula, text: formula };
    }
    return super.escape(source);
  }

  override inlineText(source: string): Tokens.Text | undefined {
    const token = super.inlineText(source);
    if (!this.hasFormulas || token === undefined || token.escaped) return token;
    const start = findFormula(source, token.raw);
    return start < 0 ? token : super.inlineText(source.slice(0, start));
  }

  override reflink(source: string, links: Parameters<Tokenizer["reflink"]>[1]): ReturnType<Tokenizer["reflink"]> {
    if (this.#notes.size > 0) {
      const [raw = "", label = ""] = /^\[\^([^\s\]\\^[]{1,190})\]/.exec(source) ?? [];
      if (label !== "" && this.#notes.has(label.toLowerCase()) && !this.lexer.state.inLink)
        return { type: "noteReference", raw, label: label.toLowerCase() } as unknown as Tokens.Text;
    }
    return super.reflink(source, links);
  }

  override heading(source: string): NamedHeading | undefined {
    const heading = super.heading(source);
    return heading && this.#withId(heading, source);
  }

  override lheading(source: string): NamedHeading | undefined {
    const heading = super.lheading(source);
    return heading && this.#withId(heading, source);
  }

  /** Takes an id out of the text, or from a line of attributes that follows. */
  #withId(heading: Tokens.Heading, source: string): NamedHeading {
    const own = splitAttributes(heading.text);
    const queued = this.lexer.inlineQueue.at(-1);
    if (own !== null && queued !== undefined) {
      queued.src = own.text;
      return { ...heading, text: own.text, ...(own.id !== undefined && { id: own.id }) };
    }
    const next = /^\n(\{:[^{}\n]*\})[ \t]*(?:\n|$)/.exec(source.slice(heading.raw.length, heading.raw.length + 300));
    const below = next?.[1] === undefined ? null : splitAttributes(next[1]);
    if (next === null || below === null) return heading;
    return { ...heading, raw: heading.raw + next[0], ...(below.id !== undefined && { id: below.id }) };
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    const { isInQuote } = this;
    this.isInQuote = true;
    try {
      const quote = super.blockquote(source);
      return quote && this.#withTitle(quote);
    } finally {
      this.isInQuote = isInQuote;
    }
  }

  /** Puts the bold word of an alert, or its title, before the text: `> [!NOTE]`. */
  #withTitle(quote: Tokens.Blockquote): Tokens.Blockquote {
    const alert = /^\[!([a-z][\w-]{1,40})\][+-]?[ \t]*([^\n]*)(\n|$)/i.exec(quote.text);
    const first = quote.tokens[0];
    if (alert === null || first?.type !== "paragraph") return quote;
    const [{ length }, kind = "", rest = ""] = alert;
    const title = boxTitle(kind, rest) ?? kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
    const queue = this.lexer.inlineQueue;
    const place = queue.findLastIndex(({ tokens }) => tokens === first["tokens"]);
    const queued = queue[place];
    if (queued === undefined) return quote;
    const text = queued.src.slice(length);
    queued.src = text;
    const others = text.trim() === "" ? quote.tokens.slice(1) : quote.tokens;
    if (others !== quote.tokens) queue.splice(place, 1);
    return { ...quote, tokens: [strongLine(title, this.lexer.inline(title)), ...others] };
  }

  /** marked reads a list at a quote's end again with the lines after it, and assumes that it is still a list. */
  override list(source: string): Tokens.List | undefined {
    const { state } = this.lexer;
    if (this.isInQuote && state.lastToken?.type === "text") delete state.lastToken;
    return super.list(source);
  }

  override def(source: string): Tokens.Def | undefined {
    const token = super.def(source);
    if (token !== undefined) this.#work.addDefinition();
    return token;
  }

  /** Without its end tag, a block of `<script>` and the like would be the rest of the article: it is a paragraph. */
  override html(source: string): Tokens.HTML | undefined {
    const start = /^ {0,3}<(script|style|textarea|!--)/i.exec(source)?.[1];
    if (start === undefined || this.#unclosed >= MAX_UNCLOSED) return super.html(source);
    const isClosed = start === "!--" ? source.includes("-->") : /<\/(?:script|pre|style|textarea)>/i.test(source);
    if (isClosed) return super.html(source);
    this.#unclosed += 1;
    return undefined;
  }

  override table(source: string): BoundedTable | undefined {
    // Checks the first two lines alone: marked reads all that follows before it finds that they are no table.
    const queued = this.lexer.inlineQueue.length;
    const head = super.table(source.slice(0, lineEnd(source, lineEnd(source, 0) + 1)));
    this.lexer.inlineQueue.length = queued;
    if (head === undefined) return undefined;
    const rows = this.rules.block.table.exec(source)?.[3]?.split("\n") ?? [];
    const columns = head.header.length;
    this.#work.addCells((rows.length + 1) * columns);
    const table = super.table(source);
    return table && { ...table, rows: this.#joinRows(table, rows), excess: countExcess(rows, columns) };
  }

  #joinRows(table: Tokens.Table, lines: readonly string[]): TableCell[][] {
    const isLong = lines.some((line) => withoutContinuation(line) !== null);
    const rows = isLong ? joinRows(table, lines, this.#cellLexer) : table.rows;
    return table.raw.includes("^^") ? spanRows(rows) : rows;
  }

  readonly #cellLexer: CellLexer = {
    inline: (source) => this.lexer.inline(source),
    readBlocks: (source) => {
      const { state } = this.lexer;
      const { top } = state;
      state.top = false;
      try {
        return this.lexer.blockTokens(source, []);
      } finally {
        state.top = top;
      }
    },
  };
}

function countExcess(rows: readonly string[], columns: number): ExcessCells {
  const excess: ExcessCells = { cells: 0, characters: 0, first: { before: "", text: "" } };
  for (const row of rows) {
    let column = 0;
    let before = "";
    for (const part of splitCells(withoutContinuation(row) ?? row)) {
      const cell = part.trim();
      column += 1;
      if (column === columns) before = cell;
      if (column <= columns || cell === "") continue;
      const text = cell.replaceAll("\\|", "|");
      if (excess.cells === 0) excess.first = { before, text };
      excess.cells += 1;
      excess.characters += text.replaceAll(/\s/g, "").length;
    }
  }
  return excess;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}
