import { AppError } from "../../system/errors.ts";

/** Characters; with the longest article it is twice as long as that. */
const MAX_PADDING = 10_000_000;

/** Counts what Markdown adds to a text: the beginnings of lines in quotes and lists, cells that rows of a table lack. */
export class Padding {
  #left = MAX_PADDING;

  /** @throws AppError `invalid` where it comes to many times what any article needs. */
  add(characters: number): void {
    this.#left -= characters;
    if (this.#left >= 0) return;
    const message =
      "The content has so many lines in nested quotes or lists, or so many empty cells in tables, that it cannot be written " +
      "as Markdown; simplify it.";
    throw new AppError("invalid", message, { field: "content" });
  }
}
