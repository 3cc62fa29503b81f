/** Choices that the browser remembers. Where it blocks storage, they last until the page is closed. */
const chosen = new Map<string, string>();

export function readChoice(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? chosen.get(key) ?? null;
  } catch {
    return chosen.get(key) ?? null;
  }
}

export function saveChoice(key: string, choice: string): void {
  chosen.set(key, choice);
  try {
    localStorage.setItem(key, choice);
  } catch {
    // The storage is full or blocked.
  }
}
