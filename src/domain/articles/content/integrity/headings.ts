import type { Passage } from "./material.ts";
import type { Rule } from "./report.ts";

/** "Fixes" may stand under each of two products, but not twice under one. */
export const findRepeatedHeadings: Rule = ({ blocks }, report) => {
  /** The headings above the current one, from the top. */
  const path: Passage[] = [];
  const seen = new Map<Passage | null, Set<string>>();
  for (const heading of blocks) {
    if (heading.level === 0) continue;
    while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop();
    const parent = path.at(-1) ?? null;
    path.push(heading);
    const names = seen.get(parent) ?? new Set();
    seen.set(parent, names);
    // Headings of signs only have no words.
    const name = heading.words.length > 0 ? heading.words.ids.join(" ") : heading.text;
    if (names.has(name)) {
      const message = "Another section beside this one has the same heading.";
      report.add({ kind: "repeated_heading", severity: "warn", passage: heading, message });
    }
    names.add(name);
  }
};
