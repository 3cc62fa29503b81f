import { getDefaults, Parser, Renderer, type Tokens } from "marked";
import { AppError } from "../../../system/errors.ts";
import { BoundedLexer, type BoundedTable, type ExcessCells, TooMuchMarkdown } from "./bounded-lexer.ts";

/**
 * Renders GFM as HTML that is not yet sanitised: HTML inside the Markdown is kept.
 *
 * @throws AppError `invalid` for Markdown that would take far too long to parse.
 */
export function markdownToHtml(markdown: string): string {
  return renderMarkdown(markdown).html;
}

/**
 * Like `markdownToHtml`, and returns the table cells that are left out; null if there are none. @throws AppError as
 * `markdownToHtml`.
 */
export function renderMarkdown(markdown: string): { html: string; excess: ExcessCells | null } {
  const renderer = new TableWatcher();
  const options = { ...getDefaults(), gfm: true };
  try {
    const tokens = new BoundedLexer(options, markdown.length).lex(markdown);
    return { html: Parser.parse(tokens, { ...options, renderer }), excess: renderer.excess };
  } catch (error) {
    const why = error instanceof TooMuchMarkdown ? error.message : "is nested too deep";
    if (!(error instanceof TooMuchMarkdown || error instanceof RangeError)) throw error;
    throw new AppError("invalid", `The Markdown ${why}; simplify it.`, { field: "markdown", cause: error });
  }
}

class TableWatcher extends Renderer {
  excess: ExcessCells | null = null;

  override table(token: Tokens.Table | BoundedTable): string {
    if ("excess" in token && token.excess.cells > 0) {
      const { cells = 0, characters = 0, first = token.excess.first } = this.excess ?? {};
      const { excess } = token;
      this.excess = { cells: cells + excess.cells, characters: characters + excess.characters, first };
    }
    return super.table(token);
  }
}
