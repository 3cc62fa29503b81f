import { Marked } from "marked";
import { AppError } from "../errors.ts";

/**
 * HTML of GFM, not yet sanitised: HTML inside the Markdown stays as it is.
 *
 * @throws AppError `invalid` for Markdown that would take far too long to read.
 */
export function markdownToHtml(markdown: string): string {
  try {
    return new Marked({ gfm: true, tokenizer: boundedEmphasis() }).parse(markdown, { async: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = "The Markdown is nested too deep or has a paragraph with too many marks of emphasis; simplify it.";
    throw new AppError("invalid", message, { field: "markdown", cause: error });
  }
}

/** Characters. A long article needs less than a tenth; this many take about two seconds. */
const MAX_EMPHASIS_WORK = 30_000_000;

/**
 * For each possible mark of emphasis marked reads to the end of the paragraph, about 60 ns a character: 90 kB of `*a_`
 * took 80 s.
 */
function boundedEmphasis() {
  let work = 0;
  return {
    emStrong(rest: string): false {
      if (rest.startsWith("*") || rest.startsWith("_")) work += rest.length;
      if (work > MAX_EMPHASIS_WORK) throw new RangeError("too many marks of emphasis");
      return false;
    },
  };
}
