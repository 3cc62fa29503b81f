/**
 * Sends decisions about the displayed article. If a decision leads to the next article, that is shown at once, and the service's
 * answer is awaited in the background. A refusal is reported with a way back to the article.
 */
import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { ApiError, apiPath, del, post } from "../../../api/client.ts";
import { afterPaint } from "../../../shared/after-paint.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { useConfirm } from "../../../shared/confirm.tsx";
import { toMessage } from "../../../shared/error-note.tsx";
import { showErrorToast } from "../../../shared/error-toast.tsx";
import { type OfferUndo, useUndoToast } from "../../../shared/undo-toast.tsx";
import { reviewedQuery, takeAnswer } from "../queries.ts";
import type { ReviewQueue } from "../queue/use-queue.ts";
import { type Decision, DONE, NOT_DONE } from "./actions.ts";
import { predictLine } from "./predict.ts";
import { buildQuestion } from "./questions.tsx";

type Sent = Exclude<Decision, "edit">;

/** A decision that the service has not answered, or has refused. */
interface Unsettled {
  decision: Sent;
  input: Record<string, unknown>;
  /** null until answered. */
  refusal: { error: unknown } | null;
}

/** Kept in the client's cache, because it outlives the page; signing out clears it. Null once every decision is settled. */
const unsettledKey = (id: string) => ["decisions", id] as const;

export interface ReviewAction {
  /** The action in progress. */
  busy: Sent | null;
  /** The last action, if the service refused it and no dialog shows the reason. */
  refused: { title: string; decision: Sent; input: Record<string, unknown>; error: unknown } | null;
  dismiss: () => void;
  /** Whether the page has just advanced automatically: a key pressed now was meant for the previous article. */
  isSettling: () => boolean;
  /** @throws ApiError only with `inDialog` and without a next article; the dialog then shows the error and keeps the input. */
  decide: (decision: Sent, given?: { input?: Record<string, unknown>; inDialog?: boolean }) => Promise<void>;
  discardDraft: () => Promise<void>;
  /** For an edit made on this page; its `z` is that of decisions. */
  offerUndo: OfferUndo;
}

/** How long decisions are blocked after an automatic advance. */
const SETTLE_MS = 350;

export function useReviewAction(
  seen: ReviewedArticle,
  reviewQueue: ReviewQueue | null,
  take: (answer: ReviewedArticle) => void,
): ReviewAction {
  const client = useQueryClient();
  const announce = useAnnounce();
  const undo = useUndo(reviewQueue, take);
  const offerUndo = useUndoToast();
  const { id, title } = seen.article;
  const { data: unsettled = null } = useQuery<Unsettled | null>({
    queryKey: unsettledKey(id),
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const { isSettling, expectArrival } = useArrival(id);
  const settle = (articleId: string, state: Unsettled | null) => client.setQueryData(unsettledKey(articleId), state);

  const decide: ReviewAction["decide"] = async (decision, { input = {}, inDialog = false } = {}) => {
    const known = client.getQueryData<Unsettled | null>(unsettledKey(id));
    if ((known != null && known.refusal === null) || isSettling()) return;
    settle(id, { decision, input, refusal: null });
    const expected = predictLine(decision, seen, input);
    const wait = getWait(decision, seen);
    const done = wait === null ? toDone(decision, expected) : "Publishing";
    const next = reviewQueue?.advances === true ? reviewQueue.record(title, expected, done) : null;
    if (next !== null) {
      expectArrival(next);
      afterPaint(() => announce(describeOutcome(title, done, reviewQueue, buildTitle(next))));
    }
    const answering = send(seen, decision, input);
    const opposite = findOpposite(decision, seen);
    const offer = () =>
      opposite === null
        ? null
        : offerUndo({
            message: `${done}: ${title}`,
            seconds: wait ?? undefined,
            undo: async () => {
              const answer = await answering.catch(() => null);
              return answer === null || undo(answer, opposite);
            },
          });
    let hideOffer: (() => void) | null = null;
    let isRefused = false;
    if (next !== null) {
      afterPaint(() => {
        if (!isRefused) hideOffer = offer();
      });
    }
    const settled = answering.then(accept, refuse);
    if (next === null) await settled;

    function accept(answer: ReviewedArticle): null {
      takeAnswer(client, answer);
      take(answer);
      settle(id, null);
      if (next === null) {
        reviewQueue?.record(title, answer.line, done);
        announce(describeOutcome(title, done, reviewQueue, undefined));
        offer();
      }
      return null;
    }

    async function refuse(error: unknown): Promise<null> {
      isRefused = true;
      hideOffer?.();
      await refetchAfterConflict(error);
      const isShown = inDialog && next === null;
      settle(id, isShown ? null : { decision, input, refusal: { error } });
      if (isShown) throw error;
      if (next !== null) {
        reviewQueue?.forget(id);
        showErrorToast({
          title: `${NOT_DONE[decision]}: ${title}`,
          message: toMessage(error),
          label: "Open it",
          action: () => reviewQueue?.go(id),
        });
      }
      return null;
    }
  };

  async function discardDraft(): Promise<void> {
    try {
      const query = { draft_saved_at: seen.draft?.saved_at };
      const answer = await del<ReviewedArticle>(apiPath`/articles/${id}/draft`, { query });
      takeAnswer(client, answer);
      take(answer);
      announce("The draft copy was discarded.");
    } catch (thrown) {
      await refetchAfterConflict(thrown);
      throw thrown;
    }
  }

  /** After a conflict, reloads the article so that its page shows the other user's change. */
  async function refetchAfterConflict(error: unknown): Promise<void> {
    if (!(error instanceof ApiError) || error.status !== 409) return;
    await client.invalidateQueries({ queryKey: reviewedQuery(seen.website_id, id).queryKey, refetchType: "all" });
  }

  function buildTitle(next: string): string | undefined {
    return client.getQueryData(reviewedQuery(seen.website_id, next).queryKey)?.article.title;
  }

  return {
    busy: unsettled !== null && unsettled.refusal === null ? unsettled.decision : null,
    refused:
      unsettled?.refusal == null
        ? null
        : {
            title: NOT_DONE[unsettled.decision],
            decision: unsettled.decision,
            input: unsettled.input,
            error: unsettled.refusal.error,
          },
    dismiss: () => settle(id, null),
    isSettling,
    decide,
    discardDraft,
    offerUndo,
  };
}

/** Tells whether the page has just advanced to this article by itself. */
function useArrival(id: string) {
  const arrived = useRef({ id: "", at: 0 });
  useEffect(() => {
    if (arrived.current.id === id) arrived.current.at = moment();
    // The user has navigated: returning to that article is deliberate.
    else arrived.current.id = "";
  }, [id]);
  return {
    isSettling: () => arrived.current.id === id && moment() - arrived.current.at < SETTLE_MS,
    expectArrival: (next: string) => {
      arrived.current = { id: next, at: moment() };
    },
  };
}

/** @returns a function that sends the opposite of a decision and shows the article again. */
function useUndo(reviewQueue: ReviewQueue | null, take: (answer: ReviewedArticle) => void) {
  const client = useQueryClient();
  const announce = useAnnounce();
  const confirm = useConfirm();

  /** Asks first if the article goes live again. @returns whether it was undone. */
  return async function undo(decided: ReviewedArticle, { decision, input }: Opposite): Promise<boolean> {
    const question = decision === "restore" ? buildQuestion(decision, decided) : null;
    if (question !== null && !(await confirm(question))) return false;
    const { id: decidedId, title: decidedTitle } = decided.article;
    try {
      const answer = await send(decided, decision, input);
      takeAnswer(client, answer);
      take(answer);
      reviewQueue?.forget(decidedId);
      reviewQueue?.go(decidedId);
      // After the title of the article that is shown again.
      afterPaint(() => announce(`Undone: ${decidedTitle}`));
      return true;
    } catch (error) {
      showErrorToast({
        title: `Not undone: ${decidedTitle}`,
        message: toMessage(error),
        label: "Open it",
        action: () => reviewQueue?.go(decidedId),
      });
      return false;
    }
  };
}

function moment(): number {
  return performance.now();
}

function send(seen: ReviewedArticle, decision: Sent, input: Record<string, unknown>): Promise<ReviewedArticle> {
  const { id } = seen.article;
  const { version } = seen.line;
  // The page may be closed before the answer arrives.
  const keepalive = true;
  if (decision === "publish-draft") {
    const body = { version, draft_saved_at: seen.draft?.saved_at };
    return post(apiPath`/articles/${id}/draft/publish`, { body, keepalive });
  }
  const body = { version, ...input, ...(isDelayed(decision) && { delayed: true }) };
  return post(apiPath`/articles/${id}/${decision}`, { body, keepalive });
}

function toDone(decision: Sent, { publish_at: publishAt }: { publish_at: string | null }): string {
  return decision === "schedule" && publishAt === null ? "Schedule cancelled" : DONE[decision];
}

function isDelayed(decision: Sent): boolean {
  return decision === "publish" || decision === "approve-and-publish";
}

/** Seconds until the publication that the decision schedules; null if it schedules none, or publishes at once. */
function getWait(decision: Sent, { publish_delay_seconds: seconds }: ReviewedArticle): number | null {
  return isDelayed(decision) && seconds > 0 ? seconds : null;
}

interface Opposite {
  decision: Sent;
  input: Record<string, unknown>;
}

/** What undoes the decision, if that is exact and sends nothing; deleting is undone by restoring. */
function findOpposite(decision: Sent, before: ReviewedArticle): Opposite | null {
  const input = {};
  switch (decision) {
    case "approve":
    case "approve-and-schedule":
      return { decision: "unapprove", input };
    case "approve-and-publish":
      return getWait(decision, before) === null ? null : { decision: "unapprove", input };
    case "publish":
      return getWait(decision, before) === null
        ? null
        : { decision: "schedule", input: { publish_at: before.line.publish_at } };
    case "schedule":
      return { decision, input: { publish_at: before.line.publish_at } };
    case "withdraw":
      return before.line.is_resubmitted ? null : { decision: "submit", input };
    case "submit":
      return before.line.review_state === "draft" ? { decision: "withdraw", input } : null;
    case "request-changes":
      if (before.line.review_state === null) return null;
      return { decision: "submit", input: before.line.is_resubmitted ? {} : { undo: true } };
    case "delete":
      return { decision: "restore", input };
    default:
      return null;
  }
}

function describeOutcome(
  title: string,
  done: string,
  reviewQueue: ReviewQueue | null,
  next: string | undefined,
): string {
  const what = `${done}: ${title}.`;
  if (reviewQueue === null) return what;
  if (next !== undefined) return `${what} Now: ${next}.`;
  return reviewQueue.autoAdvance && reviewQueue.position.nextId === null
    ? `${what} That was the last one in the list.`
    : what;
}
