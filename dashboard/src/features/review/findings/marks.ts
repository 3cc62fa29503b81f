import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import type { TextIndex } from "../comments/text-index.ts";
import { setHighlights } from "../document/highlights.ts";
import { findPlace } from "./places.ts";

/** Underlines the findings in the text, and highlights the active one. */
export function markFindings(
  shown: Document,
  index: TextIndex,
  findings: readonly Finding[],
  active: Finding | null,
): void {
  // The title stands in the page, the text in its frame.
  for (const page of [shown, document]) {
    const ranges = (some: readonly Finding[]) =>
      some
        .flatMap((finding) => findPlace(shown, index, finding) ?? [])
        .filter(({ startContainer }) => startContainer.ownerDocument === page);
    setHighlights(page, {
      finding: ranges(findings.filter(({ severity }) => severity === "warn")),
      "finding-block": ranges(findings.filter(({ severity }) => severity === "block")),
      "finding-active": active === null ? [] : ranges([active]),
    });
  }
}
