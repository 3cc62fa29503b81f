import { Marked } from "marked";
import { AppError } from "../errors.ts";

const marked = new Marked({ gfm: true });

/** HTML of GFM, not yet sanitised: HTML inside the Markdown stays as it is. */
export function markdownToHtml(markdown: string): string {
  try {
    return marked.parse(markdown, { async: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError("invalid", "The Markdown is nested too deep; simplify its lists and quotes.", {
      field: "markdown",
      cause: error,
    });
  }
}
