import type { Passage } from "./material.ts";

/** Whether somebody is quoted there: in a block quote, or between quotation marks of any language. */
export function isQuotation(passage: Passage, start: number, end: number): boolean {
  if (passage.isQuoted) return true;
  const before = passage.text.slice(0, start);
  const after = passage.text.slice(end);
  const opened = Math.max(...["“", "„", "«", "‘"].map((mark) => before.lastIndexOf(mark)));
  const closed = Math.max(...["”", "»"].map((mark) => before.lastIndexOf(mark)));
  if (opened > closed && /[”»’“]/.test(after)) return true;
  return before.split('"').length % 2 === 0 && after.includes('"');
}
