/** The comments of the displayed article, and the document that shows it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ArticleComments, CommentThread } from "../../../../../src/http/admin/contract/comments.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { useSession, useWebsite } from "../../../shared/session.tsx";
import { useShortcuts } from "../../../shared/shortcuts.tsx";
import { scrollToPart } from "../document/article-frame.tsx";
import { findPassage, highlight } from "./highlights.ts";
import { commentsQuery } from "./queries.ts";
import { findPosition, indexText, readRange, type SelectedPassage, type TextIndex } from "./text-index.ts";

export interface Commenting {
  reviewed: ReviewedArticle;
  /** Undefined until loaded. */
  threads: readonly CommentThread[] | undefined;
  error: unknown;
  retry: () => void;
  mayWrite: boolean;
  /** The signed-in account. */
  ownId: string;
  /** The text index of the document; null if the displayed text has no comments. */
  index: TextIndex | null;
  shown: Document | null;
  setShown: (shown: Document | null) => void;
  active: string | null;
  /** Highlights the thread's passage and scrolls to it. */
  activate: (thread: CommentThread) => void;
  /** Where a new comment is kept until it was sent. */
  unsentKey: string;
  /** The comment being written, if any. */
  draft: { passage: SelectedPassage | null } | undefined;
  /** Starts a comment on the selected text, or asks which part it is about. */
  begin: () => void;
  end: () => void;
  take: (answer: ArticleComments) => void;
}

/** What the list of comments needs. */
export type ThreadActions = Pick<
  Commenting,
  "reviewed" | "threads" | "error" | "retry" | "mayWrite" | "ownId" | "active" | "activate" | "take"
>;

/** What the dialog for a new comment needs. */
export type Composing = Pick<Commenting, "reviewed" | "unsentKey" | "index" | "draft" | "begin" | "end" | "take">;

const HASH = "#comment-";

interface Ways {
  /** Shows the list after a thread was chosen in the text or by the URL. */
  toList: () => void;
  /** Shows the text; on a narrow screen, instead of the list. */
  toText: () => void;
}

export function useCommenting(reviewed: ReviewedArticle, { toList, toText }: Ways): Commenting {
  const client = useQueryClient();
  const website = useWebsite();
  const { account } = useSession();
  const { website_id: websiteId, article } = reviewed;
  const query = commentsQuery(websiteId, article.id);
  const { data, error, refetch } = useQuery(query);
  const [shown, setShown] = useState<Document | null>(null);
  const [active, setActive] = useState<string | null>(readHash);
  const [draft, setDraft] = useState<Commenting["draft"]>();
  const awaited = useRef<string | null>(null);
  const [of, setOf] = useState(article.id);
  if (of !== article.id) {
    setOf(article.id);
    setActive(readHash());
    setDraft(undefined);
  }
  const index = useMemo(() => shown && indexText(shown), [shown]);
  const threads = data?.threads;
  const mayWrite = website.can("articles.comment") && reviewed.line.deleted_at === null;

  useEffect(() => {
    if (shown === null || index === null) return;
    const visible = (threads ?? []).filter(({ id, resolved }) => resolved === null || id === active);
    highlight(shown, index, visible, active);
  }, [shown, index, threads, active]);

  const isAddressed = readHash() !== null && threads !== undefined && index !== null;
  useEffect(() => {
    const thread = threads?.find(({ id }) => id === readHash());
    if (thread === undefined || index === null) return;
    toList();
    scrollTo(index, thread);
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the page is complete
  }, [isAddressed, article.id]);

  useEffect(() => {
    if (shown === null || index === null) return undefined;
    const onClick = (event: MouseEvent) => {
      if (shown.getSelection()?.isCollapsed === false) return;
      const place = shown.caretPositionFromPoint(event.clientX, event.clientY);
      const position = findPosition(index, place?.offsetNode ?? null, place?.offset ?? 0);
      const thread = threads?.find(
        (one) => one.resolved === null && covers(one, position) && findPassage(index, one) !== null,
      );
      if (thread === undefined) return;
      setActive(thread.id);
      toList();
    };
    shown.addEventListener("click", onClick);
    return () => shown.removeEventListener("click", onClick);
  }, [shown, index, threads, toList]);

  // The document is gone while the list is shown in its place.
  useEffect(() => {
    const thread = threads?.find(({ id }) => id === awaited.current);
    if (index === null || thread === undefined) return;
    awaited.current = null;
    scrollTo(index, thread);
  }, [index, threads]);

  const begin = () => {
    if (mayWrite) setDraft({ passage: shown && index && readSelection(shown, index) });
  };
  useShortcuts([{ keys: "m", label: "Comment", group: "This article", once: true, disabled: !mayWrite, run: begin }]);

  return {
    reviewed,
    threads,
    error,
    retry: () => void refetch(),
    mayWrite,
    ownId: account.id,
    index,
    shown,
    setShown,
    active,
    activate: (thread) => {
      setActive(thread.id);
      if (index === null) awaited.current = thread.id;
      else scrollTo(index, thread);
      toText();
    },
    unsentKey: `comment.${account.id}.${article.id}`,
    draft,
    begin,
    end: () => setDraft(undefined),
    take: (answer) => {
      void client.cancelQueries({ queryKey: query.queryKey });
      client.setQueryData(query.queryKey, answer);
    },
  };
}

/** The thread named by the URL. */
function readHash(): string | null {
  const { hash } = window.location;
  return hash.startsWith(HASH) ? decodeURIComponent(hash.slice(HASH.length)) : null;
}

export function readSelection(shown: Document, index: TextIndex): SelectedPassage | null {
  const selection = shown.getSelection();
  return selection === null || selection.isCollapsed || selection.rangeCount === 0
    ? null
    : readRange(index, selection.getRangeAt(0));
}

function covers({ passage }: CommentThread, position: number): boolean {
  return passage !== null && passage.start <= position && position <= passage.end;
}

function scrollTo(index: TextIndex, thread: CommentThread): void {
  const part = findPassage(index, thread)?.startContainer.parentElement;
  if (part != null) scrollToPart(part);
}
