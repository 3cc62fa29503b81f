/** Findings that people accept, so that a text may be approved and published with them. */
import { type FullArticle, parseMetrics, type QualityMetrics } from "../../../domain/articles/article.ts";
import { listBlocking, parseAcceptance } from "../../../domain/articles/integrity-gate.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { findDraftCopy } from "../../../store/articles/draft-copies.ts";
import { putOverride } from "../../../store/articles/quality/finding-overrides.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { loadArticle } from "./article-persistence.ts";
import { composeDraft } from "./edit-article.ts";
import { listAlike } from "../review/alike.ts";
import { findDuplicates, loadMetrics } from "./integrity-gate.ts";
import type { ExpectedVersion } from "./optimistic-lock.ts";
import { type TransitionDeps, transitionWith } from "./transition.ts";

/**
 * Accepts kinds of findings for the text as it is now; of a published article, also for that of its draft copy.
 * @throws AppError `invalid` without a reason; `conflict` for a kind that does not hold the text.
 */
export async function overrideFindings(
  deps: TransitionDeps & Pick<Deps, "deriveContent">,
  id: string,
  given: readonly { kind: string; reason: string }[],
  actor: Actor,
  expect?: ExpectedVersion,
): Promise<FullArticle> {
  if (actor.isMachine === true) {
    throw new AppError("forbidden", "A person has to accept what was found in the text, in the dashboard.");
  }
  return record(deps, id, await acceptance(deps, id, given), actor, expect);
}

type Accept = NonNullable<TransitionDeps["accept"]>;

/** As `overrideFindings`, in the transaction of an approval or publication: the acceptance stays only with that. */
export async function acceptance(
  deps: TransitionDeps & Pick<Deps, "deriveContent">,
  id: string,
  given: readonly { kind: string; reason: string }[],
): Promise<Accept> {
  const accepted = given.map(parseAcceptance);
  const drafted = await findDrafted(deps, id);
  return async ({ full, website, db, actor, now }) => {
    const { article } = full;
    if (article.deletedAt !== null) throw new AppError("conflict", "This article is in the trash; restore it first.");
    const saved = await loadMetrics(db, full);
    const duplicates = findDuplicates(await listAlike(db, website, full));
    const texts = [
      { content_hash: saved.content_hash, findings: [...listBlocking(saved), ...duplicates] },
      ...(drafted === undefined ? [] : [{ content_hash: drafted.content_hash, findings: listBlocking(drafted) }]),
    ];
    for (const one of accepted) {
      const found = texts.filter(({ findings }) => findings.some(({ kind }) => kind === one.kind));
      if (found.length === 0) {
        throw new AppError("conflict", `The text has no finding "${one.kind}" that blocks it. Reload the page.`);
      }
      for (const { content_hash: contentHash } of found)
        await putOverride(db, article, { ...one, contentHash, actor: actor.id, at: now });
    }
    return accepted.map((detail) => ({ action: "article.integrity_overridden" as const, detail: { ...detail } }));
  };
}

const record = transitionWith(async (context, accept: Accept) => ({
  ...context.full,
  event: null,
  notes: await accept(context),
  isUnseen: true,
}));

/** What would be found if the draft copy were live; undefined: there is none. */
async function findDrafted(
  deps: TransitionDeps & Pick<Deps, "deriveContent">,
  id: string,
): Promise<QualityMetrics | undefined> {
  const { full, draft, website } = await deps.store.read(async (db) => {
    const found = await loadArticle(db, id);
    const { rowNo, websiteId } = found.article;
    return { full: found, draft: await findDraftCopy(db, rowNo), website: await loadWebsite(db, websiteId) };
  });
  if (draft === undefined) return undefined;
  return parseMetrics((await composeDraft(deps, website, full, draft.changes)).body.metricsJson);
}
