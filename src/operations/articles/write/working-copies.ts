/** What a person has typed and not saved, on any device. Private: the service reads it only to keep its pictures. */
import { AppError } from "../../../domain/system/errors.ts";
import {
  type CopyScope,
  countOtherCopies,
  deleteWorkingCopy,
  listWorkingCopies,
  saveWorkingCopy,
  type WorkingCopy,
} from "../../../store/articles/working-copies.ts";
import { findWebsiteId } from "../../../store/articles/articles.ts";
import type { Snapshot } from "../../../store/store.ts";
import type { Deps } from "../../system/deps.ts";
import { noSuchArticle } from "./article-persistence.ts";
import { loadWebsite } from "../../../store/system/websites.ts";

/** Per person and article: each open page has its own. */
const MAX_COPIES = 20;

type CopyDeps = Pick<Deps, "store" | "clock">;

/** Whose copies: of an article, or of one that does not exist yet. */
export type CopyOwner = { accountId: string } & ({ articleId: string } | { websiteId: string });

/** Newest first. @throws AppError `not_found`. */
export function readWorkingCopies(deps: CopyDeps, owner: CopyOwner): Promise<WorkingCopy[]> {
  return deps.store.read(async (db) => listWorkingCopies(db, await toScope(db, owner)));
}

/** @throws AppError `not_found`; `conflict` when there are too many. */
export function keepWorkingCopy(
  deps: CopyDeps,
  owner: CopyOwner,
  { id, content }: Pick<WorkingCopy, "id" | "content">,
): Promise<void> {
  return deps.store.write(
    async (db) => {
      const scope = await toScope(db, owner);
      if ((await countOtherCopies(db, scope, id)) >= MAX_COPIES) {
        throw new AppError(
          "conflict",
          `You have ${MAX_COPIES} unsaved texts for this article. Restore or discard some of them.`,
        );
      }
      await saveWorkingCopy(db, scope, { id, content, savedAt: deps.clock() });
    },
    { notify: false },
  );
}

/** Succeeds for a copy that is gone, too. @throws AppError `not_found` for an unknown article. */
export function discardWorkingCopy(deps: CopyDeps, owner: CopyOwner, id: string): Promise<void> {
  return deps.store.write(async (db) => deleteWorkingCopy(db, await toScope(db, owner), id), { notify: false });
}

async function toScope(db: Snapshot, owner: CopyOwner): Promise<CopyScope> {
  const { accountId } = owner;
  if ("websiteId" in owner) {
    await loadWebsite(db, owner.websiteId);
    return { accountId, websiteId: owner.websiteId, articleId: null };
  }
  const websiteId = await findWebsiteId(db, owner.articleId);
  if (websiteId === undefined) throw noSuchArticle(owner.articleId);
  return { accountId, websiteId, articleId: owner.articleId };
}
