/** The error for lost text, apart from content/html/loss.ts, which is loaded with the first text. */
import { AppError } from "../system/errors.ts";

export interface TextLoss {
  /** Characters other than white space that are missing. */
  missing: number;
  /** Characters of the source, other than white space. */
  total: number;
  /** The last words before the first gap. */
  after: string;
  /** The first words of the gap. */
  lost: string;
}

/** @throws AppError `invalid` that says how much is missing and where it begins; its field is `accept_loss`. */
export function throwTextLoss({ missing, total, after, lost }: TextLoss): never {
  const place = after === "" ? "at the beginning" : `after “${after}”`;
  const message =
    `${Math.round((100 * missing) / total)} % of the text would be lost (${missing} of ${total} characters), first ${place}: ` +
    `“${lost}”. Probably an element is left open there or holds text that an article cannot hold, or a row of a Markdown table ` +
    "has more cells than its header. " +
    "Correct it, or say that the text may go: accept_loss in a request, --accept-loss on the command line.";
  throw new AppError("invalid", message, { field: "accept_loss" });
}
