/** The single items of a request for changes: its lines, without the marks of a list. */
const MARK = /^(?:[-*+•]|\d{1,3}[.)])\s+/;

export function listRequestItems(reason: string): string[] {
  return reason
    .split(/\r?\n/)
    .map((line) => line.trim().replace(MARK, ""))
    .filter((line) => line !== "");
}
