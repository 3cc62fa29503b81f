import { distinctLabels, labelKey } from "../../../domain/system/collation.ts";
import type { FullArticle } from "../../../domain/articles/article.ts";
import * as workflow from "../../../domain/articles/workflow.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { loadArticle } from "./article-persistence.ts";
import { updateArticle } from "./articles.ts";
import type { ExpectedVersion } from "./optimistic-lock.ts";
import type { ArticleDeps } from "./transition.ts";

export interface LabelChanges {
  addTags?: readonly string[] | undefined;
  removeTags?: readonly string[] | undefined;
  addCategories?: readonly string[] | undefined;
  removeCategories?: readonly string[] | undefined;
}

/** Adds and removes tags and categories, with the consequences of an edit. @throws AppError as `updateArticle`. */
export async function labelArticle(
  deps: ArticleDeps & Pick<Deps, "deriveContent">,
  id: string,
  changes: LabelChanges,
  actor: Actor,
  expect?: ExpectedVersion,
): Promise<FullArticle> {
  const { article } = await deps.store.read((db) => loadArticle(db, id));
  workflow.assertAllows("label", article);
  const input = {
    tags: withLabels(article.tags, changes.addTags, changes.removeTags),
    categories: withLabels(article.categories, changes.addCategories, changes.removeCategories),
  };
  return updateArticle(deps, id, input, actor, expect ?? { version: article.version });
}

function withLabels(labels: readonly string[], add: readonly string[] = [], remove: readonly string[] = []): string[] {
  const removed = new Set(remove.map(labelKey));
  return distinctLabels([...labels.filter((label) => !removed.has(labelKey(label))), ...add]);
}
