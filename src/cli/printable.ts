/**
 * What a terminal would obey instead of showing: control characters (escape sequences begin with one), and those that turn the
 * direction of text around so that it reads as something else. Line feeds and tabs stay.
 */
const OBEYED = /[^\P{Cc}\t\n]|[\u061c\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The text as a terminal shows it and nothing else: what it would obey is written as `\u001b`, which is the same within JSON.
 * Everything that a command prints goes through here, because titles, names and answers are written by others.
 */
export function printable(text: string): string {
  return text.replaceAll(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replaceAll(/[\n\t]/g, " "));
}
