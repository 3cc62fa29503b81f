/** Creates an article that its source names by its own id, or changes it field by field (domain/articles/origin.ts). */
import type { ArticleInput, FullArticle, ReviewState } from "../../../domain/articles/article.ts";
import { getOrigin, toApiName } from "../../../domain/articles/origin.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findOrigin } from "../../../store/articles/origins.ts";
import { loadWebsite, loadWebsiteToChange } from "../../../store/system/websites.ts";
import type { Writer } from "../../../store/store.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { append, loadArticle } from "../write/article-persistence.ts";
import { notifyOfImport, notifyOfReview, recordArticleChange } from "../write/article-notes.ts";
import { editDetail, insertNew, type LossOptions, prepareNew } from "../write/edit-article.ts";
import { StaleVersion } from "../write/optimistic-lock.ts";
import { recordPublicationRequest } from "../write/publication-requests.ts";
import {
  findKnown,
  type KnownItem,
  prepareSourceEdit,
  recordCreated,
  saveSourceEdit,
  type SourceItem,
} from "../write/source-edit.ts";
import { createCause } from "../write/transition.ts";
import { hashInput } from "./import-items.ts";

export interface Upserted {
  outcome: "created" | "updated" | "unchanged" | "held";
  /** The article without its draft copy. */
  full: FullArticle;
  /** The API names of the fields that people have to apply or drop. */
  heldFields: string[];
}

export interface UpsertOptions extends LossOptions {
  actor: Actor;
  /** Whether to replace what people changed; otherwise such changes are held. */
  overwrite?: boolean;
  /** The state of a new article if the input names none; `in_review` if omitted. */
  reviewState?: ReviewState;
  /** Called in the transaction that saves the article, if there is something to save. */
  alongside?: (db: Writer, upserted: Upserted) => Promise<void>;
}

type UpsertDeps = Pick<Deps, "store" | "clock" | "newId" | "deriveContent">;

/** Each time, somebody may have changed the article between its preparation and its saving. */
const MAX_ATTEMPTS = 5;
/** Machines send many at a time. */
const SHORT = { isShort: true } as const;

/** @throws AppError `invalid`; `conflict` if people deleted the article for good; `busy` if others keep changing it. */
export async function upsertArticle(
  deps: UpsertDeps,
  websiteId: string,
  { source, input }: Pick<SourceItem, "source" | "input">,
  options: UpsertOptions,
): Promise<Upserted> {
  const item = { source, input, hash: hashInput(input) };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      return await upsert(deps, websiteId, item, options);
    } catch (error) {
      if (!(error instanceof StaleVersion)) throw error;
    }
  }
  throw new AppError("busy", "Others are changing this article at the moment; try again in a few seconds.");
}

async function upsert(
  deps: UpsertDeps,
  websiteId: string,
  item: SourceItem & { input: ArticleInput },
  options: UpsertOptions,
): Promise<Upserted> {
  const { website, known } = await deps.store.read(async (db) => ({
    website: await loadWebsite(db, websiteId),
    known: await findKnown(db, websiteId, { source: item.source, id: undefined }),
  }));
  const { article, origin, isPurged } = known;
  if (isPurged && options.overwrite !== true) {
    throw new AppError("conflict", "This article was deleted permanently here; overwrite=true brings it back.");
  }
  if (article === undefined) return create(deps, website, item, options);
  return change(deps, website, item, { article, origin }, options);
}

/** @throws AppError `conflict` if the source has brought it before; `invalid`. */
export async function createFromSource(
  deps: UpsertDeps,
  websiteId: string,
  { source, input }: Pick<SourceItem, "source" | "input">,
  options: Omit<UpsertOptions, "overwrite">,
): Promise<FullArticle> {
  const website = await deps.store.read((db) => loadWebsite(db, websiteId));
  try {
    return (await create(deps, website, { source, input, hash: hashInput(input) }, options)).full;
  } catch (error) {
    if (!(error instanceof StaleVersion)) throw error;
    throw new AppError("conflict", "There is an article with this external_id already: change that one.", {
      field: "external_id",
    });
  }
}

async function create(
  deps: UpsertDeps,
  website: Website,
  item: SourceItem,
  { actor, reviewState, alongside, ...loss }: UpsertOptions,
): Promise<Upserted> {
  const prepared = await prepareNew(deps, website, item.input, {
    ...loss,
    origin: getOrigin(actor, item.source),
  });
  return deps.store.write(async (db) => {
    const owner = await loadWebsiteToChange(db, website.id);
    if (((await findOrigin(db, website.id, item.source))?.rowNo ?? null) !== null) {
      throw new StaleVersion("Another request has created this article meanwhile.");
    }
    const by = { actor, authorId: actor.id, source: item.source, reviewState };
    const made = await insertNew(db, deps, owner, prepared, by);
    await recordCreated(db, website.id, item, made.full);
    const { article } = made.full;
    const detail = { status: article.status, source: item.source };
    const entry = { id: deps.newId(), at: deps.clock() };
    await recordArticleChange(db, deps, actor, article, { action: "article.created", detail }, entry);
    if (article.reviewState === "in_review") {
      await notifyOfReview(db, deps, { article, website: owner, actor, eventId: entry.id });
    }
    await recordPublicationRequest(db, deps, actor, article, { input: item.input, origin: undefined });
    await append(db, deps, made.event, createCause(deps, actor));
    const upserted: Upserted = { outcome: "created", full: made.full, heldFields: [] };
    await alongside?.(db, upserted);
    return upserted;
  }, SHORT);
}

async function change(
  deps: UpsertDeps,
  website: Website,
  item: SourceItem,
  { article, origin }: { article: NonNullable<KnownItem["article"]>; origin: KnownItem["origin"] },
  { actor, overwrite, alongside, ...loss }: UpsertOptions,
): Promise<Upserted> {
  if (origin?.hash === item.hash && overwrite !== true) {
    const full = await deps.store.read((db) => loadArticle(db, article.id));
    return { outcome: "unchanged", full, heldFields: [] };
  }
  const edit = await prepareSourceEdit(deps, website, item, { article, origin }, { actor, overwrite, ...loss });
  const heldFields = edit.decision.newlyHeld.map(toApiName);
  return deps.store.write(async (db) => {
    const owner = await loadWebsiteToChange(db, website.id);
    const saved = await saveSourceEdit(db, deps, owner, edit, { actor, action: "article.edited" });
    const { edited, event } = saved;
    if (edited !== undefined) {
      const detail = { ...editDetail(article, saved.full.article, edited.fields), source: item.source };
      const note = { action: "article.edited", detail } as const;
      await recordArticleChange(db, deps, actor, saved.full.article, note, edited.entry);
      if (article.status === "approved" && saved.full.article.status === "pending") {
        const told = { article: saved.full.article, website: owner, actor, eventId: edited.entry.id };
        await notifyOfReview(db, deps, told);
      }
    }
    const run = { id: deps.newId(), websiteId: website.id, actor };
    await notifyOfImport(db, deps, "held", run, heldFields.length > 0 ? [article.id] : []);
    await recordPublicationRequest(db, deps, actor, saved.full.article, { input: item.input, origin });
    await append(db, deps, event, createCause(deps, actor));
    const outcome = saved.changed ? "updated" : "unchanged";
    const upserted: Upserted = { outcome: heldFields.length > 0 ? "held" : outcome, full: saved.full, heldFields };
    await alongside?.(db, upserted);
    return upserted;
  }, SHORT);
}
