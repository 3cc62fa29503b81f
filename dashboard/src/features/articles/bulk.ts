/** Applies one action to many articles: in batches, to show progress, with a result for each article. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { BulkAction, BulkResult } from "../../../../src/http/admin/contract/articles.ts";
import { at, post } from "../../api/client.ts";
import { toMessage } from "../../shared/error-note.tsx";
import type { Chosen } from "./selection.ts";

export interface BulkOutcome {
  action: BulkAction;
  done: number;
  refused: { article: Chosen; message: string }[];
}

/** For request-changes and assign. */
export interface BulkInput {
  reason?: string;
  assignee_id?: string | null;
}

const PORTION = 25;

export interface Bulk {
  run: (action: BulkAction, articles: readonly Chosen[], input?: BulkInput) => Promise<BulkOutcome>;
  isRunning: boolean;
  /** 0 to 1. */
  progress: number;
}

export function useBulk(websiteId: string): Bulk {
  const client = useQueryClient();
  const [progress, setProgress] = useState(0);
  const { mutateAsync, isPending } = useMutation({
    mutationFn: async ({
      action,
      articles,
      input,
    }: {
      action: BulkAction;
      articles: readonly Chosen[];
      input: BulkInput;
    }) => {
      const outcome: BulkOutcome = { action, done: 0, refused: [] };
      const bulkId = `${Date.now()}-${Math.random()}`;
      for (let from = 0; from < articles.length; from += PORTION) {
        setProgress(from / articles.length);
        await doPortion(websiteId, articles.slice(from, from + PORTION), { ...input, bulk_id: bulkId }, outcome);
      }
      return outcome;
    },
    onMutate: () => setProgress(0),
    onSettled: () => client.invalidateQueries({ queryKey: ["articles", websiteId] }),
  });
  return {
    run: (action, articles, input = {}) => mutateAsync({ action, articles, input }),
    isRunning: isPending,
    progress,
  };
}

async function doPortion(
  websiteId: string,
  portion: readonly Chosen[],
  input: BulkInput & { bulk_id: string },
  outcome: BulkOutcome,
): Promise<void> {
  const articles = portion.map(({ id, version }) => ({ id, version }));
  try {
    const { results } = await post<BulkResult>(at`/articles/bulk/${outcome.action}`, {
      body: { website_id: websiteId, articles, ...input },
    });
    for (const [index, { ok, message }] of results.entries()) {
      const article = portion[index];
      if (ok) outcome.done += 1;
      else if (article !== undefined) outcome.refused.push({ article, message: message ?? "It was refused." });
    }
  } catch (error) {
    // The list shows whether any of these changed; the next batch may still succeed.
    outcome.refused.push(...portion.map((article) => ({ article, message: toMessage(error) })));
  }
}
