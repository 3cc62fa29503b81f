/** Edits that a person makes to an article: directly, or in a draft copy while it is published. */
import type { ArticleInput, FullArticle } from "../../../domain/articles/article.ts";
import { diffInputs, mergeChanges, writtenInput } from "../../../domain/articles/composition.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { createArticle, type CreateOptions, type EditOptions, updateArticle } from "./articles.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { saveDraftCopy } from "./draft-copies.ts";
import { loadReviewed } from "../review/article-review.ts";
import { assertVersion, type ExpectedVersion, type SeenDraft } from "./optimistic-lock.ts";

type EditDeps = Pick<Deps, "store" | "clock" | "newId" | "deriveContent">;

export interface Edit extends EditOptions {
  changes: ArticleInput;
  /** The versions that the actor saw. */
  seen: ExpectedVersion & SeenDraft;
  /** Whether an edit of a published article goes to its draft copy; otherwise readers see it at once. */
  asDraft: boolean;
}

/** Creates an article, which may have no text yet. @throws AppError `invalid`. */
export function writeArticle(
  deps: EditDeps,
  websiteId: string,
  input: ArticleInput,
  actor: Actor,
  options: CreateOptions = {},
): Promise<FullArticle> {
  return createArticle(deps, websiteId, toWritten(input), actor, options);
}

/** The input of a new article, which may still be empty. @throws AppError `invalid`. */
export function toWritten(input: ArticleInput): ArticleInput {
  assertOneText(input);
  const isWritten = input.content !== undefined || input.markdown !== undefined;
  return isWritten ? input : { ...input, markdown: "" };
}

/**
 * Applies a person's edit. @returns the article as it is now, without its draft copy. @throws AppError `conflict` if
 * someone else changed what the actor saw; `forbidden` if it is live and the actor may not approve; `invalid`.
 */
export function editArticle(deps: EditDeps, id: string, edit: Edit, actor: Actor): Promise<FullArticle> {
  assertOneText(edit.changes);
  return makeEdit(deps, id, edit, actor);
}

/** Writes nothing if nothing changes. */
export async function makeEdit(
  deps: EditDeps,
  id: string,
  { changes, seen, asDraft, ...options }: Edit,
  actor: Actor,
): Promise<FullArticle> {
  const { full, draft } = await deps.store.read(async (db) => {
    const found = await loadReviewed(db, id);
    await assertVersion(db, found.full.article, seen, { actor, input: changes });
    return found;
  });
  const { article } = full;
  if (changes.publishedAt !== undefined && article.publishedAt === null) {
    throw new AppError("invalid", "This article was never published: there is no published_at to change.", {
      field: "published_at",
    });
  }
  const isDrafted = article.status === "published" && asDraft;
  const written = writtenInput(full);
  const different = diffInputs(isDrafted ? mergeChanges(written, draft?.changes ?? {}) : written, changes);
  if (Object.keys(different).length === 0) return full;
  if (!isDrafted) return updateArticle(deps, id, different, actor, seen, options);
  await saveDraftCopy(deps, id, different, actor, seen, options);
  return full;
}

/** A file may contain both, one derived from the other; a person writes only one. */
function assertOneText({ content, markdown }: ArticleInput): void {
  if (content === undefined || markdown === undefined) return;
  throw new AppError("invalid", "Send the text as content (HTML) or as markdown, not as both.", { field: "markdown" });
}
