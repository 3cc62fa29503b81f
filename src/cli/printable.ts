/**
 * Characters that a terminal would interpret: control characters (escape sequences begin with one), and bidirectional controls,
 * which make text read as something else. Line feeds and tabs are allowed.
 */
const OBEYED = /[^\P{Cc}\t\n]|[\u061c\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Escapes what a terminal would interpret, e.g. as `\u001b`, which means the same within JSON. All output of commands passes
 * through this function because titles, names and responses are written by others.
 */
export function printable(text: string): string {
  return text.replaceAll(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replaceAll(/[\n\t]/g, " "));
}
