/**
 * Text from outside that is stored: errors, headers, responses, names of programs. PostgreSQL rejects NUL, no encoding
 * has half a surrogate pair, control characters steer terminals, and no stranger may choose how much is stored.
 */

const REPLACEMENT = "\uFFFD";
/** Tab, line feed and carriage return are allowed: bodies have lines. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROLS_IN_TEXT = /[\0-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROLS_IN_LINE = /[\0-\u001F\u007F-\u009F]/g;
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const BLANKS = /[\s\u0001-\u001F\u007F-\u009F]+/g;

/** Overrides and isolates of the direction, which make a name read as another. */
const DIRECTIONS = /[\u202A-\u202E\u2066-\u2069]/g;

const OVERRIDES = /[\u202D\u202E]/g;

/** Several lines, at most `maxLength` UTF-16 units. */
export function foreignText(text: string, maxLength: number): string {
  return cut(text, maxLength).replace(CONTROLS_IN_TEXT, REPLACEMENT);
}

/** One line, at most `maxLength` UTF-16 units; line breaks and tabs are replaced, too. */
export function foreignLine(text: string, maxLength: number): string {
  return cut(text, maxLength).replace(CONTROLS_IN_LINE, REPLACEMENT);
}

/** One line without changes of direction, and single spaces for blanks and controls. NUL stays: the store refuses it. */
export function singleLine(text: string): string {
  return text.replaceAll(DIRECTIONS, "").replaceAll(BLANKS, " ").trim();
}

/**
 * Without what shows letters in another order than they are written. Isolates and embeddings stay: a title in Hebrew
 * needs them around a name in Latin letters.
 */
export function withoutOverrides(text: string): string {
  const kept = text.replaceAll(OVERRIDES, "");
  if (kept === text) return text;
  // Ends an embedding, too.
  return /[\u202A\u202B]/.test(kept) ? kept : kept.replaceAll("\u202C", "");
}

/** Well-formed, and never cut within a surrogate pair. */
function cut(text: string, maxLength: number): string {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= maxLength) return wellFormed;
  const isWithinPair = /[\uD800-\uDBFF]/.test(wellFormed.charAt(maxLength - 1));
  return wellFormed.slice(0, isWithinPair ? maxLength - 1 : maxLength);
}
