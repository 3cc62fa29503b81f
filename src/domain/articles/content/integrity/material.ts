/** What the rules of integrity get to see of an article. Each text is split into words once, for all of them. */
import type { Place } from "../../findings.ts";
import { type Anchor, type Block, CODE_MARK, type DocumentStats, type Picture } from "../html/text.ts";
import { hashWord, WORD_HASH_MULTIPLIER } from "../measure/search.ts";
import { forEachSentence, forEachWord } from "../measure/words.ts";

export interface Material {
  title: Passage;
  /** null: the article has none. */
  metaDescription: Passage | null;
  /** All blocks of visible text, by their index. */
  blocks: readonly Passage[];
  /** Those without code, in order. */
  prose: readonly Passage[];
  /** Paragraphs and items of lists. */
  paragraphs: readonly Passage[];
  anchors: readonly Anchor[];
  pictures: readonly Picture[];
  /** Videos, audio and frames. */
  embeds: number;
  /** Headings with text and without, in order. */
  headings: DocumentStats["headings"];
  /** What the author wrote; undefined if it was the other form, or is not at hand. */
  markdown: string | undefined;
  html: string | undefined;
  vocabulary: Vocabulary;
  /** How many different words the blocks have; theirs are the first numbers. */
  textWords: number;
  /** ISO 639-1 codes; null: not declared, or not to be told. */
  declaredLanguage: string | null;
  detectedLanguage: string | null;
  detectLanguage: (text: string) => string | null;
  /** Whether a generator delivered the article, so that what people repeat on purpose is not expected. */
  isMachineWritten: boolean;
}

/** A block of visible text, the title or the meta description. */
export class Passage {
  readonly field: Place["field"];
  /** Index of the block; null for fields. */
  readonly block: number | null;
  readonly kind: Block["kind"] | "field";
  /** 1–6 for headings, else 0. */
  readonly level: number;
  readonly text: string;
  /** As long as `text`, with `CODE_MARK` for the characters of inline code: what rules search. */
  readonly masked: string;
  /** Inside a block quote. */
  readonly isQuoted: boolean;
  readonly words: Words;
  #sentences: readonly Sentence[] | undefined;

  constructor(
    { field, block, level = 0 }: Pick<Place, "field" | "block"> & { level?: number },
    { kind, text, masked = text, isQuoted = false }: Omit<Block, "apart" | "kind"> & { kind: Passage["kind"] },
    vocabulary: Vocabulary,
  ) {
    this.field = field;
    this.block = block;
    this.level = level;
    this.kind = kind;
    this.text = text;
    this.masked = masked;
    this.isQuoted = isQuoted;
    this.words = vocabulary.split(text);
  }

  /** The sentences of a paragraph or an item; a heading or a cell counts as one. */
  get sentences(): readonly Sentence[] {
    return (this.#sentences ??= splitSentences(this.text, this.words));
  }

  /** Whether the word is inline code. */
  isCode(word: number): boolean {
    return this.masked[this.words.starts[word] ?? 0] === CODE_MARK;
  }
}

/** The words of a text, by their index. */
export interface Words {
  length: number;
  /** Offsets in the text. */
  starts: readonly number[];
  ends: readonly number[];
  /** Numbers in the article's vocabulary: equal words have equal numbers. */
  ids: readonly number[];
}

export interface Sentence {
  start: number;
  end: number;
  /** Its words: from, and up to without. */
  firstWord: number;
  endWord: number;
}

/** Numbers the different words of an article, in lower case and with straight apostrophes. */
export class Vocabulary {
  /** By number. */
  readonly words: string[] = [];
  /** Words in ASCII by hash, each as its number plus one; open addressing. A string for each word would take longer. */
  #slots = new Int32Array(FIRST_SLOTS);
  #plainWords = 0;
  readonly #others = new Map<string, number>();
  /** Of the text that is split: arrays that grow with each word would be copied several times. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #ids: number[] = [];

  split(text: string): Words {
    const [starts, ends, ids] = [this.#starts, this.#ends, this.#ids];
    let length = 0;
    forEachWord(text, (start, end, codes) => {
      starts[length] = start;
      ends[length] = end;
      ids[length] = this.#number(text, start, end, codes);
      length += 1;
    });
    return { length, starts: starts.slice(0, length), ends: ends.slice(0, length), ids: ids.slice(0, length) };
  }

  /** The number of a word in lower case; undefined if the article lacks it. */
  find(word: string): number | undefined {
    if (!isAscii(word)) return this.#others.get(word);
    let slot = toSlot(hashWord(word), this.#slots.length);
    for (let number = this.#slots[slot] ?? 0; number !== 0; number = this.#slots[slot] ?? 0) {
      if (this.words[number - 1] === word) return number - 1;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return undefined;
  }

  #number(text: string, start: number, end: number, codes: Uint16Array): number {
    let hash = 0;
    for (let at = start; at < end; at += 1) {
      const code = codes[at] ?? 0;
      if (code >= 0x80) return this.#numberOther(text.slice(start, end));
      hash = Math.imul(hash + (LOWER[code] ?? 0), WORD_HASH_MULTIPLIER);
    }
    let slot = toSlot(hash, this.#slots.length);
    for (let number = this.#slots[slot] ?? 0; number !== 0; number = this.#slots[slot] ?? 0) {
      if (isSameWord(this.words[number - 1] ?? "", codes, start, end)) return number - 1;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    const id = this.words.push(text.slice(start, end).toLowerCase()) - 1;
    this.#slots[slot] = id + 1;
    this.#plainWords += 1;
    if (2 * this.#plainWords > this.#slots.length) this.#grow();
    return id;
  }

  #numberOther(word: string): number {
    const known = this.#others.get(word);
    if (known !== undefined) return known;
    const folded = word.toLowerCase().replaceAll("’", "'");
    const id = this.#findFolded(folded) ?? this.words.push(folded) - 1;
    this.#others.set(word, id).set(folded, id);
    return id;
  }

  /** A word that is ASCII once it is folded has the number of the one that was written so. */
  #findFolded(folded: string): number | undefined {
    const known = this.#others.get(folded);
    if (known !== undefined || !isAscii(folded)) return known;
    return this.#number(
      folded,
      0,
      folded.length,
      Uint16Array.from(folded, (letter) => letter.charCodeAt(0)),
    );
  }

  #grow(): void {
    const larger = new Int32Array(4 * this.#slots.length);
    for (const number of this.#slots) {
      if (number === 0) continue;
      const word = this.words[number - 1] ?? "";
      let slot = toSlot(hashWord(word), larger.length);
      while (larger[slot] !== 0) slot = (slot + 1) & (larger.length - 1);
      larger[slot] = number;
    }
    this.#slots = larger;
  }
}

/** A power of two. */
const FIRST_SLOTS = 2 ** 11;
const LOWER = Uint8Array.from({ length: 0x80 }, (_, code) => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code));

function isAscii(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (word.charCodeAt(at) >= 0x80) return false;
  return true;
}

function toSlot(hash: number, slots: number): number {
  return (hash >>> 12) & (slots - 1);
}

function isSameWord(word: string, codes: Uint16Array, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let at = start; at < end; at += 1) if (word.charCodeAt(at - start) !== LOWER[codes[at] ?? 0]) return false;
  return true;
}

export interface Collected {
  title: string;
  metaDescription: string | null;
  markdown?: string | undefined;
  html?: string | undefined;
  language: string | null;
  isMachineWritten: boolean;
  stats: DocumentStats;
  detectedLanguage: string | null;
  detectLanguage: (text: string) => string | null;
}

export function toMaterial(of: Collected): Material {
  const vocabulary = new Vocabulary();
  const { stats } = of;
  const levels = new Map(stats.headings.map(({ block, level }) => [block, level]));
  const blocks = stats.blocks.map((block, index) => {
    const place = { field: "text" as const, block: index, level: levels.get(index) ?? 0 };
    return new Passage(place, block, vocabulary);
  });
  const textWords = vocabulary.words.length;
  const field = (name: Place["field"], text: string) =>
    new Passage({ field: name, block: null }, { kind: "field", text }, vocabulary);
  const prose = blocks.filter(({ kind }) => kind !== "code");
  return {
    title: field("title", of.title),
    metaDescription: of.metaDescription === null ? null : field("meta_description", of.metaDescription),
    blocks,
    prose,
    paragraphs: prose.filter(({ kind }) => kind === "paragraph" || kind === "item"),
    anchors: stats.anchors,
    pictures: stats.pictures,
    embeds: stats.embeds,
    headings: stats.headings,
    markdown: of.markdown,
    html: of.html,
    vocabulary,
    textWords,
    declaredLanguage: of.language === null ? null : (of.language.toLowerCase().split("-")[0] ?? null),
    detectedLanguage: of.detectedLanguage,
    detectLanguage: of.detectLanguage,
    isMachineWritten: of.isMachineWritten,
  };
}

function splitSentences(text: string, words: Words): Sentence[] {
  const sentences: Sentence[] = [];
  let word = 0;
  forEachSentence(text, (start, end) => {
    while (word < words.length && (words.starts[word] ?? 0) < start) word += 1;
    const firstWord = word;
    while (word < words.length && (words.starts[word] ?? 0) < end) word += 1;
    sentences.push({ start, end, firstWord, endWord: word });
  });
  return sentences;
}
