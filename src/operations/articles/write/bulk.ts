/** One operation on several articles, each in its own transaction: a refusal does not stop the others. */
import type { Millis } from "../../../domain/system/time.ts";
import type { BulkVerb } from "../../../domain/articles/verbs.ts";
import { HeldByFindings } from "../../../domain/articles/integrity-gate.ts";
import { AppError, isUnavailable } from "../../../domain/system/errors.ts";
import { ownIds } from "../../../store/articles/article-lists.ts";
import {
  approveAndPublishArticle,
  approveAndScheduleArticle,
  approveArticle,
  assignArticle,
  deleteArticle,
  publishArticle,
  requestChanges,
  restoreArticle,
  scheduleArticle,
  setAuthor,
  submitArticle,
  unapproveArticle,
  unpublishArticle,
  withdrawArticle,
} from "./articles.ts";
import { labelArticle, type LabelChanges } from "./label-article.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { ExpectedVersion } from "./optimistic-lock.ts";
import type { TransitionDeps } from "./transition.ts";

type Operation = (
  deps: TransitionDeps & Pick<Deps, "deriveContent">,
  id: string,
  input: BulkInput,
  actor: Actor,
  expect?: ExpectedVersion,
) => Promise<unknown>;

const OPERATIONS: Record<BulkVerb, Operation> = {
  assign: (deps, id, { assigneeId = null }, ...rest) => assignArticle(deps, id, assigneeId, ...rest),
  "set-author": (deps, id, { authorId = null }, ...rest) => setAuthor(deps, id, authorId, ...rest),
  label: (deps, id, input, ...rest) => labelArticle(deps, id, input, ...rest),
  submit: withoutInput(submitArticle),
  withdraw: withoutInput(withdrawArticle),
  "request-changes": (deps, id, { reason = "" }, ...rest) => requestChanges(deps, id, reason, ...rest),
  approve: withoutInput(approveArticle),
  unapprove: withoutInput(unapproveArticle),
  "approve-and-publish": withoutInput(approveAndPublishArticle),
  "approve-and-schedule": (deps, id, input, ...rest) => approveAndScheduleArticle(deps, id, getTime(input), ...rest),
  publish: withoutInput(publishArticle),
  schedule: (deps, id, input, ...rest) => scheduleArticle(deps, id, getTime(input), ...rest),
  unschedule: (deps, id, _input, ...rest) => scheduleArticle(deps, id, null, ...rest),
  unpublish: withoutInput(unpublishArticle),
  delete: withoutInput(deleteArticle),
  restore: withoutInput(restoreArticle),
};

function withoutInput(operation: typeof approveArticle): Operation {
  return (deps, id, _input, ...rest) => operation(deps, id, ...rest);
}

function getTime({ publishAt }: BulkInput): Millis {
  if (publishAt === undefined) throw new Error("a schedule was asked for without a time");
  return publishAt;
}

/** Labels are used by `label` only. */
export interface BulkInput extends LabelChanges {
  reason?: string | undefined;
  /** For assign; null: nobody. */
  assigneeId?: string | null | undefined;
  /** Shared by all parts of one bulk action, so that people get one notification. */
  bulkId?: string | undefined;
  /** For set-author; null for unknown. */
  authorId?: string | null | undefined;
  publishAt?: Millis | undefined;
}

export interface ChosenArticle {
  id: string;
  /** The version that the actor saw; a later one is left unchanged. If omitted, any version. */
  version?: number;
}

export interface BulkOutcome {
  id: string;
  /** Why the operation was refused; null if it succeeded. */
  refusal: string | null;
  /** Whether it was refused because of what is in the text: a person has to look at it. */
  isHeld?: true;
}

/** A label is an edit: the content of some articles is derived while others are saved. */
const LABELS_AT_ONCE = 2;

/**
 * One by one: changes of one website wait for each other anyway. Tries no more once the store is unavailable. `onError`
 * gets unexpected errors, of which the outcome says nothing. @throws AppError `not_found`.
 */
export async function* changeEach(
  deps: TransitionDeps & Pick<Deps, "deriveContent">,
  operation: BulkVerb,
  websiteId: string,
  chosen: readonly ChosenArticle[],
  actor: Actor,
  input: BulkInput,
  onError: (error: unknown) => void,
): AsyncGenerator<BulkOutcome, void> {
  const own = await deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return ownIds(
      db,
      websiteId,
      chosen.map(({ id }) => id),
    );
  });
  const by = { ...actor, bulkId: input.bulkId ?? deps.newId() };
  let isStoreAway = false;
  const change = async ({ id, version }: ChosenArticle): Promise<BulkOutcome> => {
    const seen: ExpectedVersion | undefined = version === undefined ? undefined : { version };
    let refusal: string | null = null;
    let isHeld = false;
    if (!own.has(id)) refusal = `There is no article with the id ${id}.`;
    else if (isStoreAway) refusal = "This was not tried: the database cannot be reached. Try again in a moment.";
    else {
      try {
        await OPERATIONS[operation](deps, id, input, by, seen);
      } catch (error) {
        refusal = toSentence(error);
        isHeld = error instanceof HeldByFindings;
        isStoreAway ||= error instanceof AppError && error.code === "unavailable";
        if (!isRefusal(error)) onError(error);
      }
    }
    return isHeld ? { id, refusal, isHeld } : { id, refusal };
  };
  yield* inOrder(chosen, operation === "label" ? LABELS_AT_ONCE : 1, change);
}

/** Works on up to `atOnce` items at a time, and yields the results in their order. */
async function* inOrder<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const pending: Promise<R>[] = [];
  try {
    for (const item of items) {
      pending.push(work(item));
      const first = pending.length < atOnce ? undefined : pending.shift();
      if (first !== undefined) yield await first;
    }
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) yield await next;
  } finally {
    await Promise.allSettled(pending);
  }
}

function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && !isUnavailable(error) && error.code !== "misconfigured";
}

function toSentence(error: unknown): string {
  if (isRefusal(error)) return error.message;
  if (error instanceof AppError && error.code === "service_unavailable") return error.message;
  // The outcome of a commit is unknown if its acknowledgement was lost.
  if (error instanceof AppError && error.code === "unavailable") {
    return "The database could not be reached: look at this article again to see whether it was done.";
  }
  return "Something went wrong on the server, and the log says what: look at this article again, then try again.";
}
