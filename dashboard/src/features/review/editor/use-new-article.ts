import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { apiPath, patch, post } from "../../../api/client.ts";
import { useConfirm } from "../../../shared/confirm.tsx";
import { takeAnswer } from "../queries.ts";
import { sendText } from "./accept-loss.ts";
import { diffValues, EMPTY, type EditorValues } from "./values.ts";

interface Creating {
  isBusy: boolean;
  error: unknown;
  /** undefined: rejected. `isWhole` false: the article was created, but one of its fields was rejected. */
  create: (values: EditorValues) => Promise<{ answer: ReviewedArticle; isWhole: boolean } | undefined>;
}

/** Creates the article with its title and text; all other fields are its first edit. */
export function useCreating(websiteId: string): Creating {
  const client = useQueryClient();
  const confirm = useConfirm();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function create(values: EditorValues): ReturnType<Creating["create"]> {
    setBusy(true);
    setError(null);
    try {
      const { title, source, text } = values;
      const body = { website_id: websiteId, title, [source === "markdown" ? "markdown" : "content"]: text };
      let answer = await sendText(confirm, (more) =>
        post<ReviewedArticle>("/articles", { body: { ...body, ...more } }),
      );
      const changes = diffValues({ ...EMPTY, title, source, text }, values);
      let isWhole = true;
      if (Object.keys(changes).length > 0) {
        try {
          const input = { version: answer.line.version, draft_saved_at: null, changes };
          answer = await patch<ReviewedArticle>(apiPath`/articles/${answer.article.id}`, { body: input });
        } catch {
          // The article exists. Its page offers the values again, and shows the error when they are saved there.
          isWhole = false;
        }
      }
      takeAnswer(client, answer);
      return { answer, isWhole };
    } catch (thrown) {
      setError(thrown);
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  return { isBusy, error, create };
}
