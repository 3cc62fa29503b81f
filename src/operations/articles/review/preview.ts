import {
  type ArticleInput,
  type ArticleOrigin,
  parseMetrics,
  type QualityMetrics,
} from "../../../domain/articles/article.ts";
import type { TextLoss } from "../../../domain/articles/text-loss.ts";
import { mergeChanges } from "../../../domain/articles/composition.ts";
import { prepareEdit, prepareNew } from "../write/edit-article.ts";
import type { Deps } from "../../system/deps.ts";
import { loadReviewed } from "./article-review.ts";
import { noSuchArticle, uniqueSlug } from "../write/article-persistence.ts";
import { loadWebsite } from "../../../store/system/websites.ts";

export interface Preview {
  title: string;
  /** Sanitised. */
  html: string;
  /** The source, or derived from the HTML. */
  markdown: string;
  excerpt: string;
  slug: string;
  wordCount: number;
  /** Minutes. */
  readingTime: number;
  metrics: QualityMetrics;
  reportedMetrics: Record<string, unknown> | null;
  removed: string[];
  /** Text that would be lost; saving is refused unless that is accepted. */
  loss: TextLoss | null;
}

/**
 * Shows what would be saved; `id`: with its draft copy. `origin`: of a new article. @throws AppError `not_found`, also elsewhere;
 * `invalid`.
 */
export async function previewArticle(
  deps: Pick<Deps, "store" | "deriveContent" | "clock">,
  { websiteId, id }: { websiteId: string; id: string | undefined },
  changes: ArticleInput,
  origin: ArticleOrigin = "written",
): Promise<Preview> {
  const { website, before } = await deps.store.read(async (db) => {
    if (id === undefined) return { website: await loadWebsite(db, websiteId), before: undefined };
    const before = await loadReviewed(db, id);
    if (before.website.id !== websiteId) throw noSuchArticle(before.full.article.id);
    return { website: before.website, before };
  });
  const { composed } =
    before === undefined
      ? await prepareNew(deps, website, complete(changes), { acceptLoss: true, origin })
      : await prepareEdit(deps, website, before.full, mergeChanges(before.draft?.changes, changes), {
          acceptLoss: true,
        });
  const { source, prepared } = composed;
  const { language = before?.full.article.language ?? null } = mergeChanges(before?.draft?.changes, changes);
  return {
    title: source.title,
    html: prepared.html,
    markdown: prepared.markdown,
    excerpt: prepared.excerpt,
    slug: await deps.store.read((db) => uniqueSlug(db, website, source.slug, { id: id ?? "", language })),
    wordCount: prepared.wordCount,
    readingTime: prepared.readingTime,
    metrics: parseMetrics(prepared.metricsJson),
    reportedMetrics: before?.full.body.reportedMetrics ?? null,
    removed: prepared.removed,
    loss: prepared.loss,
  };
}

/** A new article may have no title and no text yet. */
function complete(changes: ArticleInput): ArticleInput {
  const isWritten = changes.content !== undefined || changes.markdown !== undefined;
  return { title: "", ...(isWritten ? {} : { markdown: "" }), ...changes };
}
