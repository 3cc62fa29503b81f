/** Parses shortcuts and matches pressed keys. */

export interface KeyStep {
  key: string;
  mod: boolean;
  shift: boolean;
}

/** Parses `g a`, `mod+Enter`, `shift+ArrowDown`. */
export function parseSteps(keys: string): KeyStep[] {
  return keys.split(" ").map((step) => {
    const parts = step.split("+");
    return { key: fold(parts.at(-1) ?? ""), mod: parts.includes("mod"), shift: parts.includes("shift") };
  });
}

export function toStep(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">): KeyStep {
  return { key: fold(event.key), mod: event.ctrlKey || event.metaKey, shift: event.shiftKey };
}

export function matches(wanted: readonly KeyStep[], pressed: readonly KeyStep[]): boolean {
  return wanted.length === pressed.length && wanted.every((step, index) => isSame(step, pressed[index]));
}

/** For display: “⌘ Enter” on a Mac, else “Ctrl Enter”. */
export function keyNames(keys: string, isMac: boolean): string[][] {
  return parseSteps(keys).map(({ key, mod, shift }) => [
    ...(mod ? [isMac ? "⌘" : "Ctrl"] : []),
    ...(shift ? ["Shift"] : []),
    NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key),
  ]);
}

const NAMES: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  " ": "Space",
};

function isSame(wanted: KeyStep, pressed: KeyStep | undefined): boolean {
  if (pressed === undefined || wanted.key !== pressed.key || wanted.mod !== pressed.mod) return false;
  // Which characters need Shift depends on the keyboard layout: `?` matches with or without it.
  const isPlainSign = wanted.key.length === 1 && wanted.key.toLowerCase() === wanted.key.toUpperCase();
  return isPlainSign || wanted.shift === pressed.shift;
}

function fold(key: string): string {
  return key.length === 1 ? key.toLowerCase() : key;
}
