/** Saves one article that a sender brought, or asks people to remove it. Repeating it changes nothing twice. */
import {
  type Arrival,
  type ArrivedArticle,
  type ArrivedOutcome,
  type Sender,
  senderSource,
} from "../../../domain/articles/senders/sender.ts";
import { AppError, type ErrorCode } from "../../../domain/system/errors.ts";
import { wasBroughtSince } from "../../../store/articles/senders/arrivals.ts";
import { isOutage } from "../../../store/system/outage.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import type { OnError } from "../../system/set-aside.ts";
import type { Writer } from "../../../store/store.ts";
import { type Upserted, upsertArticle, type UpsertOptions } from "../import/upserts.ts";
import { requestRemoval } from "../review/removal-requests.ts";
import { findKnown } from "../write/source-edit.ts";

/** These pass, so that the arrival is tried again. */
export const PASSING: ReadonlySet<ErrorCode> = new Set(["busy", "unavailable", "service_unavailable", "misconfigured"]);

/** What people are told of an error that would come again. @throws any other. */
export function explain(deps: Pick<Saving["deps"], "onError">, error: unknown): string {
  if (isOutage(error) || (error instanceof AppError && PASSING.has(error.code))) throw error;
  if (error instanceof AppError) return error.message;
  deps.onError?.(error, "an arrival of a sender failed");
  return "The service failed, and its log says how. Run it again when that is fixed.";
}

interface Saving {
  deps: Pick<Deps, "store" | "clock" | "newId" | "deriveContent"> & { onError?: OnError };
  sender: Sender;
  arrival: Arrival;
  article: ArrivedArticle;
  actor: Actor;
}

/** @param alongside called in the transaction that saves the article, if there is something to save. */
export async function saveArrived(
  saving: Saving,
  alongside?: (db: Writer, outcome: ArrivedOutcome) => Promise<void>,
): Promise<ArrivedOutcome> {
  const { deps, sender, article, actor } = saving;
  const { externalId, input, places } = article;
  const source = senderSource(sender.id, externalId);
  const patient: typeof deps = { ...deps, deriveContent: (id, text, at) => deps.deriveContent(id, text, at, true) };
  const { known, isOutdated } = await find(saving, source);
  if (known !== undefined && isOutdated) return unchanged(article, known, OUTDATED);
  const toOutcome = ({ outcome, full, heldFields }: Upserted): ArrivedOutcome => {
    const { id: articleId, title } = full.article;
    const message = heldFields.length === 0 ? null : `People have changed the same: ${heldFields.join(", ")}.`;
    return { externalId, title, places, outcome, articleId, message };
  };
  try {
    const options: UpsertOptions = { actor, alongside: async (db, saved) => alongside?.(db, toOutcome(saved)) };
    return toOutcome(await upsertArticle(patient, sender.websiteId, { source, input }, options));
  } catch (error) {
    return failed(article, explain(deps, error));
  }
}

export async function removeArrived(saving: Saving): Promise<ArrivedOutcome> {
  const { deps, sender, article, actor } = saving;
  const { known, isOutdated } = await find(saving, senderSource(sender.id, article.externalId));
  if (known === undefined) return unchanged(article, undefined, "This sender has brought no such article.");
  if (isOutdated) return unchanged(article, known, OUTDATED);
  if (known.deletedAt !== null) return unchanged(article, known, "It is in the trash already.");
  try {
    await requestRemoval(deps, known.id, `${sender.name} has deleted it.`, actor);
    return { ...unchanged(article, known, null), outcome: "removal_requested" };
  } catch (error) {
    return failed(article, explain(deps, error));
  }
}

/** What was interrupted may be done after a later delivery, and must not bring back an earlier text. */
const OUTDATED = "A later delivery of this article has come since.";

function find({ deps, sender, arrival }: Saving, source: string) {
  return deps.store.read(async (db) => {
    const { article: known } = await findKnown(db, sender.websiteId, { source, id: undefined });
    return { known, isOutdated: known !== undefined && (await wasBroughtSince(db, known.id, arrival)) };
  });
}

function unchanged(
  { externalId, input, places }: ArrivedArticle,
  known: { id: string; title: string } | undefined,
  message: string | null,
): ArrivedOutcome {
  const { id: articleId = null, title = input.title ?? "" } = known ?? {};
  return { externalId, title, places, outcome: "unchanged", articleId, message };
}

export function failed({ externalId, input, places }: ArrivedArticle, message: string): ArrivedOutcome {
  return { externalId, title: input.title ?? "", places, outcome: "failed", articleId: null, message };
}
