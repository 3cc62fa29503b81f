import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { ApiError, at, del, post } from "../../../api/client.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { useConfirm } from "../../../shared/confirm.tsx";
import { useUndoToast } from "../../../shared/undo-toast.tsx";
import { reviewedQuery, takeAnswer } from "../queries.ts";
import type { ReviewQueue } from "../queue/use-queue.ts";
import { type Decision, DONE } from "./actions.ts";
import { buildQuestion } from "./questions.tsx";

type Sent = Exclude<Decision, "edit">;

export interface ReviewAction {
  /** The action in progress. */
  busy: Sent | null;
  /** Error of the last action, unless a dialog shows it. */
  error: unknown;
  /** Whether the page has just advanced automatically: a key pressed now was meant for the previous article. */
  isSettling: () => boolean;
  /** @throws ApiError only with `inDialog`: the dialog shows it and keeps the input. */
  decide: (decision: Sent, given?: { input?: Record<string, unknown>; inDialog?: boolean }) => Promise<void>;
  discardDraft: () => Promise<void>;
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
  const confirm = useConfirm();
  const offerUndo = useUndoToast();
  const [busy, setBusy] = useState<Sent | null>(null);
  const [failed, setFailed] = useState<{ id: string; error: unknown }>({ id: "", error: null });
  const isBusy = useRef(false);
  const arrived = useRef({ id: "", at: 0 });
  const { id } = seen.article;
  useEffect(() => {
    if (arrived.current.id === id) arrived.current.at = moment();
    // The user has navigated: returning to that article is deliberate.
    else arrived.current.id = "";
  }, [id]);

  const isSettling = () => arrived.current.id === id && moment() - arrived.current.at < SETTLE_MS;

  const decide: ReviewAction["decide"] = async (decision, { input = {}, inDialog = false } = {}) => {
    if (isBusy.current || isSettling()) return;
    isBusy.current = true;
    setBusy(decision);
    setFailed({ id, error: null });
    try {
      const answer = await send(seen, decision, input);
      takeAnswer(client, answer);
      take(answer);
      const wait = getWait(decision, answer);
      const done = wait === null ? toDone(decision, answer) : "Publishing";
      const next = reviewQueue?.record(answer, done) ?? null;
      if (next !== null) arrived.current = { id: next, at: moment() };
      announce(sentence(answer, done, reviewQueue, next === null ? undefined : buildTitle(next)));
      const opposite = findOpposite(decision, seen, answer);
      if (opposite !== null) {
        offerUndo({
          message: `${done}: ${answer.article.title}`,
          seconds: wait ?? undefined,
          undo: () => undo(answer, opposite),
        });
      }
    } catch (error) {
      await refetchAfterConflict(error);
      if (inDialog) throw error;
      setFailed({ id, error });
    } finally {
      isBusy.current = false;
      setBusy(null);
    }
  };

  /** Asks first if the article goes live again. @returns whether it was undone. */
  async function undo(decided: ReviewedArticle, { decision, input }: Opposite): Promise<boolean> {
    const question = decision === "restore" ? buildQuestion(decision, decided) : null;
    if (question !== null && !(await confirm(question))) return false;
    try {
      const answer = await send(decided, decision, input);
      takeAnswer(client, answer);
      take(answer);
      announce(`Undone: ${answer.article.title}`);
      reviewQueue?.forget(answer.article.id);
      reviewQueue?.go(answer.article.id);
      return true;
    } catch (error) {
      setFailed({ id, error });
      return false;
    }
  }

  async function discardDraft(): Promise<void> {
    try {
      const query = { draft_saved_at: seen.draft?.saved_at };
      const answer = await del<ReviewedArticle>(at`/articles/${id}/draft`, { query });
      takeAnswer(client, answer);
      take(answer);
      announce("The draft copy was discarded.");
    } catch (thrown) {
      await refetchAfterConflict(thrown);
      throw thrown;
    }
  }

  /** After a conflict, reloads the article so that the page shows the other user's change. */
  async function refetchAfterConflict(error: unknown): Promise<void> {
    if (!(error instanceof ApiError) || error.status !== 409) return;
    await client.invalidateQueries({ queryKey: reviewedQuery(seen.website_id, id).queryKey });
  }

  function buildTitle(next: string): string | undefined {
    return client.getQueryData(reviewedQuery(seen.website_id, next).queryKey)?.article.title;
  }

  return { busy, error: failed.id === id ? failed.error : null, isSettling, decide, discardDraft };
}

function moment(): number {
  return performance.now();
}

function send(seen: ReviewedArticle, decision: Sent, input: Record<string, unknown>): Promise<ReviewedArticle> {
  const { id } = seen.article;
  const { version } = seen.line;
  if (decision === "publish-draft") {
    return post(at`/articles/${id}/draft/publish`, { body: { version, draft_saved_at: seen.draft?.saved_at } });
  }
  const isDelayed = decision === "publish" || decision === "approve-and-publish";
  return post(at`/articles/${id}/${decision}`, { body: { version, ...input, ...(isDelayed && { delayed: true }) } });
}

function toDone(decision: Sent, { line }: ReviewedArticle): string {
  return decision === "schedule" && line.publish_at === null ? "Schedule cancelled" : DONE[decision];
}

/** The seconds until the publication that the decision began; null if it began none, or nothing is left to wait for. */
function getWait(decision: Sent, { line }: ReviewedArticle): number | null {
  if ((decision !== "publish" && decision !== "approve-and-publish") || line.publish_at === null) return null;
  // Both are times of the server.
  return Math.round((Date.parse(line.publish_at) - Date.parse(line.updated_at)) / 1_000);
}

interface Opposite {
  decision: Sent;
  input: Record<string, unknown>;
}

/** What undoes the decision, if that is exact and sends nothing; deleting is undone by restoring. */
function findOpposite(decision: Sent, before: ReviewedArticle, after: ReviewedArticle): Opposite | null {
  const input = {};
  switch (decision) {
    case "approve":
    case "approve-and-schedule":
      return { decision: "unapprove", input };
    case "approve-and-publish":
      return after.line.publish_at === null ? null : { decision: "unapprove", input };
    case "publish":
      return after.line.publish_at === null
        ? null
        : { decision: "schedule", input: { publish_at: before.line.publish_at } };
    case "schedule":
      return { decision, input: { publish_at: before.line.publish_at } };
    case "withdraw":
      return before.line.is_resubmitted ? null : { decision: "submit", input };
    case "submit":
      return before.line.review_state === "draft" ? { decision: "withdraw", input } : null;
    case "request-changes":
      return before.line.review_state === null ? null : { decision: "submit", input };
    case "delete":
      return { decision: "restore", input };
    default:
      return null;
  }
}

function sentence(
  answer: ReviewedArticle,
  done: string,
  reviewQueue: ReviewQueue | null,
  next: string | undefined,
): string {
  const what = `${done}: ${answer.article.title}.`;
  if (reviewQueue === null) return what;
  if (next !== undefined) return `${what} Now: ${next}.`;
  return reviewQueue.autoAdvance && reviewQueue.position.nextId === null
    ? `${what} That was the last one in the list.`
    : what;
}
