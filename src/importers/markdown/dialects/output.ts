import type { Piece, Tag } from "./tags.ts";

/** What stands for a tag: a part of a line, or lines of their own. */
export type Made = string | { block: string };

/** Where a tag stands. */
export interface Place {
  /** Whether nothing else is in its line. */
  isAlone: boolean;
  /** The text as it stands in a block here: without the spaces and marks of quotes before each line. */
  outdent(text: string): string;
}

/** Puts in place of each tag what is made of it. */
export function writePieces(
  pieces: readonly Piece[],
  write: { tag: (tag: Tag, place: Place) => Made; text: (text: string) => string; code: (code: string) => string },
): string {
  const output = new Output();
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === "text") output.add(write.text(piece.text));
    else if (piece.kind === "code") output.add(write.code(piece.text));
    else {
      const next = pieces[index + 1];
      const endsLine = next === undefined || (next.kind === "text" && startsBlank(next.text));
      const made = write.tag(piece, {
        isAlone: endsLine && output.isAtLineStart,
        outdent: (text) => outdent(text, output.prefix),
      });
      if (typeof made === "string") output.add(made);
      else output.addBlock(made.block);
    }
  }
  return output.text;
}

/** Whether only spaces come before the end of the line. */
function startsBlank(text: string): boolean {
  const end = text.indexOf("\n");
  return (end < 0 ? text : text.slice(0, end)).trim() === "";
}

function outdent(text: string, prefix: string): string {
  if (prefix === "") return text;
  const mark = prefix.trimEnd();
  return text
    .split("\n")
    .map((line) =>
      line.startsWith(prefix) ? line.slice(prefix.length) : mark !== "" && line.trimEnd() === mark ? "" : line,
    )
    .join("\n");
}

/** Spaces and marks of quotes, then the mark of a list item. */
const LINE_START = /^([ \t>]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)?$/;
const MAX_LINE_START = 100;

/** Joins parts, with empty lines around blocks. */
export class Output {
  #done: string[] = [];
  #line = "";
  /** Whether the line before this one has no text, or there is none. */
  #isAfterBlank = true;
  /** What comes after a block: the rest of its line, then a line that is empty. */
  #after: "rest" | "line" | null = null;
  #blockPrefix = "";

  get isAtLineStart(): boolean {
    return this.#after !== null || this.#lineStart() !== null;
  }

  /** What each line begins with here. */
  get prefix(): string {
    if (this.#after !== null) return this.#blockPrefix;
    const start = this.#lineStart();
    return start === null ? "" : `${start[1] ?? ""}${" ".repeat(start[2]?.length ?? 0)}`;
  }

  get text(): string {
    return this.#done.join("") + this.#line;
  }

  #lineStart(): RegExpExecArray | null {
    return this.#line.length > MAX_LINE_START ? null : LINE_START.exec(this.#line);
  }

  add(text: string): void {
    const rest = this.#after === null ? text : this.#addAfterBlock(text);
    const end = rest.lastIndexOf("\n");
    if (end < 0) {
      this.#line += rest;
      return;
    }
    const lines = this.#line + rest.slice(0, end);
    this.#isAfterBlank = isBlank(lines.slice(lines.lastIndexOf("\n") + 1));
    this.#done.push(lines, "\n");
    this.#line = rest.slice(end + 1);
  }

  /** @returns what is left of the text after the empty line behind the block. */
  #addAfterBlock(text: string): string {
    let rest = text;
    if (this.#after === "rest") {
      const words = rest.replace(/^[ \t]+/, "");
      if (words === "") return "";
      this.#endLine();
      this.#after = "line";
      if (words.startsWith("\n")) rest = words.slice(1);
      else {
        rest = words;
        if (this.#blockPrefix !== "") rest = this.#blockPrefix + rest;
      }
    }
    if (rest === "") return "";
    this.#after = null;
    if (startsBlank(rest) || isBlank(rest.split("\n", 1)[0] ?? "")) return rest;
    this.#line = this.#blockPrefix.trimEnd();
    this.#endLine();
    return rest;
  }

  addBlock(block: string): void {
    const prefix = this.prefix;
    if (this.#after === null) {
      const start = this.#lineStart();
      const isItem = start?.[2] !== undefined;
      if (!isItem && start === null) {
        this.#line = this.#line.trimEnd();
        this.#endLine();
      }
      if (!isItem) {
        if (!this.#isAfterBlank) {
          this.#line = prefix.trimEnd();
          this.#endLine();
        }
        this.#line = prefix;
      }
    } else {
      if (this.#after === "rest") this.#endLine();
      this.#line = prefix.trimEnd();
      this.#endLine();
      this.#line = prefix;
    }
    this.#blockPrefix = prefix;
    this.#after = "rest";
    const lines = block.split("\n");
    this.#line += lines[0] ?? "";
    for (const line of lines.slice(1)) {
      this.#endLine();
      this.#line = line === "" ? prefix.trimEnd() : prefix + line;
    }
  }

  #endLine(): void {
    this.#isAfterBlank = isBlank(this.#line);
    this.#done.push(this.#line, "\n");
    this.#line = "";
  }
}

/** Whether a line has nothing but marks of quotes. */
function isBlank(line: string): boolean {
  return line.length < MAX_LINE_START && /^[ \t>]*$/.test(line);
}
