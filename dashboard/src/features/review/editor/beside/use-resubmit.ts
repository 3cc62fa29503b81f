import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReviewedArticle } from "../../../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../../../api/client.ts";
import { useAnnounce } from "../../../../shared/announce.tsx";
import { useConfirm } from "../../../../shared/confirm.tsx";
import { openItemsQuestion } from "../../decisions/questions.tsx";
import { reviewedQuery, takeAnswer } from "../../queries.ts";

export interface Resubmit {
  /** Saves what is not saved, and returns the article to the reviewers. */
  run: () => void;
  isBusy: boolean;
  /** Whether it is back with the reviewers, from here. */
  isDone: boolean;
  error: unknown;
}

/** @param onSave returns whether everything is saved. @returns null if the article is not back with its author. */
export function useResubmit(latest: ReviewedArticle, onSave: () => Promise<boolean>): Resubmit | null {
  const client = useQueryClient();
  const announce = useAnnounce();
  const confirm = useConfirm();
  const { website_id: websiteId, article, line, verbs } = latest;
  const submitting = useMutation({
    mutationFn: async () => {
      if (!(await onSave())) return null;
      const saved = client.getQueryData(reviewedQuery(websiteId, article.id).queryKey) ?? latest;
      const body = { version: saved.line.version };
      return post<ReviewedArticle>(apiPath`/articles/${article.id}/submit`, { body });
    },
    onSuccess: (answer) => {
      if (answer === null) return;
      takeAnswer(client, answer);
      announce("Resubmitted.");
    },
  });
  const isBack = line.review_state === "changes_requested" && verbs.includes("submit");
  const isDone = !isBack && line.is_resubmitted && submitting.data != null;
  if (!isBack && !isDone) return null;

  async function run(): Promise<void> {
    const known = client.getQueryData(reviewedQuery(websiteId, article.id).queryKey) ?? latest;
    const question = openItemsQuestion(known);
    if (question === null || (await confirm(question))) submitting.mutate();
  }

  return { run: () => void run(), isBusy: submitting.isPending, isDone, error: submitting.error };
}
