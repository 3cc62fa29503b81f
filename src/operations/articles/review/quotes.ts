/** Finds the place of a passage that is quoted, not selected. */
import { findOnce } from "../../../domain/articles/passage-edits.ts";
import { type Passage, withoutSpace } from "../../../domain/articles/passages.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { readCommentedText } from "../../../store/articles/comments.ts";
import { type CommentDeps, loadHead, updatePlaces } from "./comment-places.ts";

/** Looks in the text that editors see. @throws AppError `invalid` unless the visible text has it once; `not_found`. */
export async function locateQuote(deps: CommentDeps, id: string, quote: string): Promise<Passage & { quote: string }> {
  await updatePlaces(deps, id, true);
  const text = await deps.store.read(async (db) => readCommentedText(db, (await loadHead(db, id)).rowNo));
  const words = withoutSpace(quote);
  const { start, count } = findOnce(text ?? "", words);
  if (words !== "" && count === 1) return { start, end: start + words.length, quote };
  throw new AppError(
    "invalid",
    count === 2
      ? "The quoted passage occurs more than once: quote more of it."
      : "The quoted passage is not in the visible text: quote its words without markup, or leave it out to comment on the whole article.",
    { field: "quote" },
  );
}
