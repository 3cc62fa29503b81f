/** Connects the comments beside the text with the text in the visual view, which loads later and may be hidden. */
import { createContext } from "react";
import type { CommentThread } from "../../../../../../src/http/admin/contract/comments.ts";
import type { Selected } from "./passages.ts";

/** What the visual view does with commented passages. */
export interface ShownText {
  /** Marks the threads anew. */
  refresh: () => void;
  /** Scrolls to the thread's passage. @returns whether there is one. */
  show: (id: string) => boolean;
  /** Replaces the thread's passage. @returns what is wrong; null: it was replaced. */
  replace: (thread: CommentThread, replacement: string) => string | null;
  readSelection: () => Selected;
}

export const GONE = "The passage is no longer in the text.";

export class BesideText {
  /** The threads to mark. */
  threads: readonly CommentThread[] = [];
  active: string | null = null;
  /** The saved text, to which the positions of passages refer. */
  html = "";
  /** null while the visual view is not shown. */
  shown: ShownText | null = null;
  #onChoose: (id: string) => void = () => undefined;

  mark(threads: readonly CommentThread[], active: string | null, html: string): void {
    this.threads = threads.filter(
      (thread) => thread.passage !== null && (thread.resolved === null || thread.id === active),
    );
    this.active = active;
    this.html = html;
    this.shown?.refresh();
  }

  /** @param onChoose is called with the thread whose passage was clicked. */
  listen(onChoose: (id: string) => void): void {
    this.#onChoose = onChoose;
  }

  choose(id: string): void {
    this.#onChoose(id);
  }
}

/** null: the text has no comments beside it. */
export const BesideContext = createContext<BesideText | null>(null);
