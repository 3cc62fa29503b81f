import { AppError } from "../../../system/errors.ts";

/** In characters: as many as the longest article has, so that padding at most doubles its Markdown. */
const MAX_PADDING = 10_000_000;

/** Counts what Markdown adds to a text: line prefixes in quotes and lists, and cells that table rows lack. */
export class Padding {
  #left = MAX_PADDING;

  /** @throws AppError `invalid` if the total is many times what any article needs. */
  add(characters: number): void {
    this.#left -= characters;
    if (this.#left >= 0) return;
    const message =
      "The content has so many lines in nested quotes or lists, or so many empty cells in tables, that it cannot be written " +
      "as Markdown; simplify it.";
    throw new AppError("invalid", message, { field: "content" });
  }
}
