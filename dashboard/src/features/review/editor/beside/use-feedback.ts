/** What others said about the article, connected with the text in the editor. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { ArticleComments, CommentThread } from "../../../../../../src/http/admin/contract/comments.ts";
import type { ReviewedArticle } from "../../../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../../../api/client.ts";
import { ExplainedError } from "../../../../shared/explained-error.ts";
import { useAnnounce } from "../../../../shared/announce.tsx";
import { useSession, useWebsite } from "../../../../shared/session.tsx";
import { type Shortcut, useShortcuts } from "../../../../shared/shortcuts.tsx";
import { toast } from "../../../../shared/toasts.ts";
import { useStable } from "../../../../shared/use-stable.ts";
import { commentsQuery } from "../../comments/queries.ts";
import type { Composing, ThreadActions } from "../../comments/use-commenting.ts";
import { comparisonQuery } from "../../queries.ts";
import { BesideText, GONE } from "./beside-text.ts";

export interface Feedback {
  /** The article as last loaded; its request may have other ticks than the one that is edited. */
  article: ReviewedArticle;
  commenting: ThreadActions;
  /** Applies the thread's suggestion to the text in the editor. @throws an error that says what is wrong. */
  apply: (thread: CommentThread) => Promise<void>;
  /** Number of open threads. */
  open: number;
  /** A comment on what is selected in the text. */
  composing: Composing;
}

interface FeedbackProps {
  /** null: a new article. */
  latest: ReviewedArticle | null;
  /** The source in the editor. */
  text: string;
  onText: (text: string) => void;
  /** Called when a passage was clicked. */
  onChoose: () => void;
  /** Shows the text, where the list is in its place. */
  onShow: () => void;
}

const NO_KEYS: readonly Shortcut[] = [];
const NO_THREADS: readonly CommentThread[] = [];

export function useFeedback(props: FeedbackProps): { beside: BesideText; feedback: Feedback | null } {
  const { latest } = props;
  const client = useQueryClient();
  const website = useWebsite();
  const announce = useAnnounce();
  const { account } = useSession();
  const [beside] = useState(() => new BesideText());
  const [active, setActive] = useState<string | null>(null);
  const id = latest?.article.id ?? "";
  const query = commentsQuery(latest?.website_id ?? "", id);
  const { data, error, refetch } = useQuery({ ...query, enabled: latest !== null });
  const threads = data?.threads;
  const [draft, setDraft] = useState<Composing["draft"]>();
  // Passages are in the text that would be published next.
  const hasCopy = latest?.draft != null;
  const comparison = useQuery({ ...comparisonQuery(latest?.website_id ?? "", id), enabled: hasCopy });
  const html = (hasCopy ? comparison.data?.draft?.content : latest?.article.content) ?? "";

  useEffect(() => beside.mark(threads ?? NO_THREADS, active, html), [beside, threads, active, html]);

  const acts = useStable({
    retry: () => void refetch(),
    take: (answer: ArticleComments) => {
      void client.cancelQueries({ queryKey: query.queryKey });
      client.setQueryData(query.queryKey, answer);
    },
    activate: (thread: CommentThread) => {
      setActive(thread.id);
      props.onShow();
      // The text may have to be shown first.
      requestAnimationFrame(() => {
        if (beside.shown === null) announce("Passages are marked in the visual view.");
        else if (!beside.shown.show(thread.id)) announce(GONE);
      });
    },
    choose: (chosen: string) => {
      setActive(chosen);
      props.onChoose();
    },
    begin: () => {
      const selected = beside.shown?.readSelection() ?? null;
      if (selected === "unsaved") toast("Save first: the selected passage is not in the saved text yet.");
      else setDraft({ passage: selected });
    },
    end: () => setDraft(undefined),
    apply: async (thread: CommentThread) => {
      const replacement = thread.replacement ?? "";
      const wrong =
        beside.shown === null
          ? replaceInSource(props.text, thread.quote, replacement, props.onText)
          : beside.shown.replace(thread, replacement);
      if (wrong !== null) throw new ExplainedError(wrong);
      acts.take(await post<ArticleComments>(apiPath`/articles/${id}/comments/${thread.id}/resolve`));
      announce("The suggestion is in your text. Save to keep it.");
    },
  });
  useEffect(() => beside.listen(acts.choose), [beside, acts]);

  const mayWrite = website.can("articles.comment") && latest !== null && latest.line.deleted_at === null;
  useShortcuts(
    mayWrite ? [{ keys: "mod+alt+m", label: "Comment", group: "This article", once: true, run: acts.begin }] : NO_KEYS,
  );
  const feedback = useMemo(
    () =>
      latest && {
        article: latest,
        commenting: {
          reviewed: latest,
          threads,
          error,
          retry: acts.retry,
          mayWrite,
          ownId: account.id,
          active,
          activate: acts.activate,
          take: acts.take,
        },
        apply: acts.apply,
        composing: {
          reviewed: latest,
          unsentKey: `comment.${account.id}.${latest.article.id}`,
          index: null,
          draft,
          begin: acts.begin,
          end: acts.end,
          take: acts.take,
        },
        open: threads?.filter(({ resolved }) => resolved === null).length ?? latest.line.open_comments,
      },
    [latest, threads, error, mayWrite, account.id, active, draft, acts],
  );
  return { beside, feedback };
}

/** @returns what is wrong; null: it was replaced. */
function replaceInSource(
  text: string,
  quote: string,
  replacement: string,
  onText: (text: string) => void,
): string | null {
  const at = text.indexOf(quote);
  if (quote === "" || at < 0) return "The passage looks different in the source. Apply it in the visual view.";
  if (text.includes(quote, at + 1))
    return "The passage occurs more than once in the source. Apply it in the visual view.";
  onText(text.slice(0, at) + replacement + text.slice(at + quote.length));
  return null;
}
