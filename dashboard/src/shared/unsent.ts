/** What is typed and not sent yet, kept in this browser, so that a closed tab, a crash or an expired session loses nothing. */
import { useState } from "react";

const PREFIX = "rostrum.unsent-text.";
/** As long as a review link is valid at most. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

interface Kept {
  /** When it was typed, ms since 1970. */
  at: number;
  value: unknown;
}

/**
 * Like `useState`, for text that is typed. The initial value is not kept: set it once the text was sent.
 *
 * @param key names the person and what the text is about.
 */
export function useUnsent<T>(key: string, initial: T): [T, (value: T) => void] {
  // Only this function writes it.
  const [state, setState] = useState(() => ({ key, value: (readUnsent(key) as T | undefined) ?? initial }));
  const current = state.key === key ? state : { key, value: (readUnsent(key) as T | undefined) ?? initial };
  if (current !== state) setState(current);
  return [
    current.value,
    (value) => {
      setState({ key, value });
      keep(key, JSON.stringify(value) === JSON.stringify(initial) ? null : value);
    },
  ];
}

/** Undefined if there is none. */
export function readUnsent(key: string): unknown {
  return parse(localStorage.getItem(PREFIX + key))?.value;
}

function keep(key: string, value: unknown): void {
  if (value === null) {
    localStorage.removeItem(PREFIX + key);
    return;
  }
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify({ at: Date.now(), value } satisfies Kept));
  } catch {
    // The storage is full: the page still has it.
  }
}

function parse(stored: string | null): Kept | undefined {
  try {
    const kept = JSON.parse(stored ?? "null") as Kept | null;
    return kept !== null && kept.at > Date.now() - KEPT_MS ? kept : undefined;
  } catch {
    return undefined;
  }
}

for (const key of Object.keys(localStorage)) {
  if (key.startsWith(PREFIX) && parse(localStorage.getItem(key)) === undefined) localStorage.removeItem(key);
}
