import type { ReactNode } from "react";

interface Toast {
  message: ReactNode;
  title?: string;
  color?: string;
  /** Time until it closes; null: the user closes it. */
  shownMs: number | null;
  onClose?: () => void;
}

export interface ShownToast extends Toast {
  id: number;
}

/** The toasts of the page, earliest first. */
class Toasts {
  #all: readonly ShownToast[] = [];
  #next = 1;
  readonly #listeners = new Set<() => void>();

  readonly list = (): readonly ShownToast[] => this.#all;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** @returns a function that closes it. */
  show(toast: Toast): () => void {
    const id = this.#next;
    this.#next += 1;
    this.#set([...this.#all, { ...toast, id }]);
    return () => this.close(id);
  }

  close(id: number): void {
    const closed = this.#all.find((one) => one.id === id);
    if (closed === undefined) return;
    this.#set(this.#all.filter((one) => one !== closed));
    closed.onClose?.();
  }

  #set(all: readonly ShownToast[]): void {
    this.#all = all;
    for (const listener of this.#listeners) listener();
  }
}

export const toasts = new Toasts();

/** For successes that leave no other trace on the page. Errors are shown next to their cause (error-note.tsx). */
export function toast(message: string): void {
  toasts.show({ message, shownMs: 4_000 });
}
