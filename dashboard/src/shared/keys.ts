/** Parses shortcuts and matches pressed keys. */

export interface KeyStep {
  key: string;
  mod: boolean;
  shift: boolean;
  alt: boolean;
}

/** Parses `g a`, `mod+Enter`, `shift+ArrowDown`, `mod+alt+m`. */
export function parseSteps(keys: string): KeyStep[] {
  return keys.split(" ").map((step) => {
    const parts = step.split("+");
    const has = (name: string) => parts.includes(name);
    return { key: fold(parts.at(-1) ?? ""), mod: has("mod"), shift: has("shift"), alt: has("alt") };
  });
}

type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

export function toStep({ key, code, ctrlKey, metaKey, shiftKey: shift, altKey: alt }: Pressed): KeyStep {
  // On a Mac, a letter with Alt is another character.
  const [, letter = key] = (alt && metaKey && /^Key([A-Z])$/.exec(code)) || [];
  return { key: fold(letter), mod: ctrlKey || metaKey, shift, alt };
}

export function matches(wanted: readonly KeyStep[], pressed: readonly KeyStep[]): boolean {
  return wanted.length === pressed.length && wanted.every((step, index) => isSame(step, pressed[index]));
}

/** For display: “⌘ Enter” on a Mac, else “Ctrl Enter”. */
export function keyNames(keys: string, isMac: boolean): string[][] {
  return parseSteps(keys).map(({ key, mod, shift, alt }) => [
    ...(mod ? [isMac ? "⌘" : "Ctrl"] : []),
    ...(alt ? [isMac ? "⌥" : "Alt"] : []),
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
  if (wanted.alt !== pressed.alt) return false;
  // Which characters need Shift depends on the keyboard layout: `?` matches with or without it.
  const isPlainSign = wanted.key.length === 1 && wanted.key.toLowerCase() === wanted.key.toUpperCase();
  return isPlainSign || wanted.shift === pressed.shift;
}

function fold(key: string): string {
  return key.length === 1 ? key.toLowerCase() : key;
}
