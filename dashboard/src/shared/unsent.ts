/** Saves in this browser what is typed and not sent yet, so that a closed tab, a crash or an expired session loses nothing. */
import { useState } from "react";

const PREFIX = "rostrum.unsent-text.";
/** As long as a review link is valid at most. */
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;

interface Stored {
  /** When it was typed, ms since 1970. */
  at: number;
  value: unknown;
}

/**
 * Like `useState`, for text that is typed. The initial value is not saved: set it once the text has been sent.
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
      save(key, JSON.stringify(value) === JSON.stringify(initial) ? null : value);
    },
  ];
}

/** Undefined if there is none, or the browser blocks storage. */
export function readUnsent(key: string): unknown {
  try {
    return parse(localStorage.getItem(PREFIX + key))?.value;
  } catch {
    return undefined;
  }
}

function save(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify({ at: Date.now(), value } satisfies Stored));
  } catch {
    // The storage is full or blocked: the page still has it.
  }
}

/** Undefined if it is too old. */
function parse(stored: string | null): Stored | undefined {
  const found = JSON.parse(stored ?? "null") as Stored | null;
  return found !== null && found.at > Date.now() - MAX_AGE_MS ? found : undefined;
}

function removeOld(): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(PREFIX) && readUnsent(key.slice(PREFIX.length)) === undefined) localStorage.removeItem(key);
    }
  } catch {
    // The browser blocks storage.
  }
}

removeOld();
