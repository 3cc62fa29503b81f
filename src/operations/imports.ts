/**
 * Articles from a source. Items come in batches: what the batch's items are now is read at once, their content is
 * prepared outside any transaction, and one transaction saves them all. A batch is durable when the next one begins,
 * and an import that was stopped goes on where it was when it is run again.
 */
import { createHash } from "node:crypto";
import type { ArticleInput, ArticleStatus } from "../domain/article.ts";
import { AppError } from "../domain/errors.ts";
import type { Website } from "../domain/website.ts";
import { findArticle, findArticleBySource, findBody } from "../store/articles.ts";
import type { Reader, StoredArticle } from "../store/store.ts";
import { lockWebsite } from "../store/websites.ts";
import { applyEdit, causeOf, insertNew, prepareEdit, prepareNew } from "./articles.ts";
import type { Actor, Deps } from "./deps.ts";
import { append, loadWebsite, type StoredFull } from "./saving.ts";

/**
 * What a source says, one thing after another. `source` is what a person is told; `ref` is the stable identity of the
 * item within its source: importing the same thing again yields the same `ref`, wherever the files lie by then.
 */
export type ImportItem =
  | { kind: "draft"; source: string; ref: string; input: ArticleInput }
  /** An article that is broken. It never stops the rest. */
  | { kind: "failed"; source: string; reason: string }
  /** Deliberately not an article: a page, an attachment, a comment, a licence, an image … */
  | { kind: "skipped"; source: string; reason: string };

export interface ImportOptions {
  /** Instead of what the source says. */
  status?: ArticleStatus;
  /** Whether receivers hear of what is imported. */
  events: boolean;
  /** Whether nothing is written. */
  dryRun: boolean;
  actor: Actor;
  /** Called after each batch. */
  onProgress?: (summary: ImportSummary) => void;
}

export interface ImportSummary {
  created: number;
  updated: number;
  unchanged: number;
  failed: { source: string; reason: string }[];
  skipped: { source: string; reason: string }[];
}

type Draft = Extract<ImportItem, { kind: "draft" }>;
type ImportDeps = Pick<Deps, "store" | "clock" | "newId" | "prepare">;

const BATCH_ITEMS = 50;
/** A batch ends early when its articles are large, so that a writer is never held up for long. */
const BATCH_CHARACTERS = 2_000_000;

/** @throws AppError `not_found` for the website; whatever the source throws when it cannot be read at all. */
export async function importArticles(
  deps: ImportDeps,
  websiteId: string,
  items: AsyncIterable<ImportItem>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const website = await deps.store.read((db) => loadWebsite(db, websiteId));
  const summary: ImportSummary = { created: 0, updated: 0, unchanged: 0, failed: [], skipped: [] };
  let batch: Draft[] = [];
  let characters = 0;
  const flush = async () => {
    await importBatch(deps, website, batch, options, summary);
    batch = [];
    characters = 0;
    options.onProgress?.(summary);
  };
  for await (const item of items) {
    if (item.kind === "draft") {
      batch.push(withOptions(item, options));
      characters += (item.input.content?.length ?? 0) + (item.input.markdown?.length ?? 0);
      if (batch.length >= BATCH_ITEMS || characters > BATCH_CHARACTERS) await flush();
    } else {
      summary[item.kind].push({ source: item.source, reason: item.reason });
    }
  }
  await flush();
  return summary;
}

async function importBatch(
  deps: ImportDeps,
  website: Website,
  batch: readonly Draft[],
  options: ImportOptions,
  summary: ImportSummary,
): Promise<void> {
  const refused = (item: Draft, error: unknown) => {
    // Only refusals belong to the item. A store that cannot be used ends the import; a bug is not hidden.
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    summary.failed.push({ source: item.source, reason: error.message });
  };
  const known = await deps.store.read((db) => findKnown(db, website, batch));
  const work: Work[] = [];
  for (const [index, item] of batch.entries()) {
    const hash = hashOf(item);
    const before = known[index];
    if (before !== undefined && before.article.sourceHash === hash) {
      summary.unchanged++;
      continue;
    }
    try {
      refuseStranger(before?.article, website);
      const source = { ref: item.ref, hash };
      work.push(
        before === undefined
          ? { item, source, before, draft: prepareNew(deps, website, item.input) }
          : { item, source, before, draft: prepareEdit(deps, website, before, item.input) },
      );
    } catch (error) {
      refused(item, error);
    }
  }
  if (work.length === 0) return;
  if (options.dryRun) {
    for (const { before } of work) summary[before === undefined ? "created" : "updated"]++;
    return;
  }
  const outcome = await deps.store.write(async (db) => {
    await lockWebsite(db, website.id);
    const counts = { created: 0, updated: 0, unchanged: 0, refused: [] as { item: Draft; error: unknown }[] };
    for (const { item, source, before, draft } of work) {
      try {
        // Within the batch an earlier item may have been the same article.
        const { event, result } =
          before === undefined
            ? {
                ...(await insertNew(db, deps, website, draft, {
                  actor: options.actor.id,
                  source: await freeSource(db, website, source),
                  importedFrom: item.source,
                })),
                result: "created" as const,
              }
            : await applyEdit(db, deps, website, before, draft, { actor: options.actor, source, raise: true }).then(
                (edit) => ({ ...edit, result: edit.changed ? ("updated" as const) : ("unchanged" as const) }),
              );
        counts[result]++;
        if (options.events) await append(db, deps, event, causeOf(deps, options.actor));
      } catch (error) {
        counts.refused.push({ item, error });
        if (!(error instanceof AppError)) throw error;
      }
    }
    return counts;
  });
  summary.created += outcome.created;
  summary.updated += outcome.updated;
  summary.unchanged += outcome.unchanged;
  for (const { item, error } of outcome.refused) refused(item, error);
}

interface Work {
  item: Draft;
  source: { ref: string; hash: string };
  before: StoredFull | undefined;
  draft: ReturnType<typeof prepareNew>;
}

/** The article that each item is already: by its own id, else by its place in the source. */
function findKnown(db: Reader, website: Website, batch: readonly Draft[]): Promise<(StoredFull | undefined)[]> {
  return Promise.all(
    batch.map(async ({ ref, input }) => {
      const byId = input.id === undefined ? undefined : await findArticle(db, input.id);
      const article = byId ?? (await findArticleBySource(db, website.id, ref));
      return article && { article, body: await findBody(db, article.rowNo) };
    }),
  );
}

function refuseStranger(article: StoredArticle | undefined, website: Website): void {
  if (article === undefined) return;
  if (article.websiteId !== website.id) {
    throw new AppError("conflict", `Its id ${article.id} belongs to an article of another website: remove the id.`);
  }
  if (article.deletedAt !== null) {
    throw new AppError("conflict", `It is in the trash as ${article.id}: restore it first, then import again.`);
  }
}

/** @throws AppError `conflict` when the batch has brought the same item before. */
async function freeSource<T extends { ref: string }>(db: Reader, website: Website, source: T): Promise<T> {
  if ((await findArticleBySource(db, website.id, source.ref)) !== undefined) {
    throw new AppError("conflict", `It stands twice in the source (${source.ref}); the first one was taken.`);
  }
  return source;
}

function withOptions(item: Draft, { status }: ImportOptions): Draft {
  return status === undefined ? item : { ...item, input: { ...item.input, status } };
}

function hashOf({ input }: Draft): string {
  return createHash("sha256").update(JSON.stringify(input)).digest("hex");
}
