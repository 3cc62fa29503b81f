/** The findings of the displayed article, marked in the document that shows it. */
import { useEffect, useMemo, useRef, useState } from "react";
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { nameFinding } from "../../../shared/finding-kinds.ts";
import { useShortcuts } from "../../../shared/shortcuts.tsx";
import type { TextIndex } from "../comments/text-index.ts";
import { scrollToPart } from "../document/article-frame.tsx";
import { markFindings } from "./marks.ts";
import { findPlace } from "./places.ts";
import { groupFindings, type Problem } from "./problems.ts";

export interface Findings {
  problems: readonly Problem[];
  active: Finding | null;
  /** Marks the finding and scrolls to it. */
  activate: (finding: Finding) => void;
}

interface Displayed {
  /** null while no text is displayed. */
  shown: Document | null;
  index: TextIndex | null;
}

interface Ways {
  /** Shows the list after a key has led to a finding. */
  toList: () => void;
  /** Shows the text; on a narrow screen, instead of the list. */
  toText: () => void;
}

export function useFindings(
  { article }: ReviewedArticle,
  { shown, index }: Displayed,
  { toList, toText }: Ways,
): Findings {
  const announce = useAnnounce();
  const { integrity } = article.quality_metrics;
  const problems = useMemo(() => groupFindings(integrity), [integrity]);
  const [active, setActive] = useState<Finding | null>(null);
  const [of, setOf] = useState(integrity);
  const awaited = useRef<Finding | null>(null);
  if (of !== integrity) {
    setOf(integrity);
    setActive(null);
  }
  const all = problems.flatMap(({ findings }) => findings);

  useEffect(() => {
    if (shown !== null && index !== null) markFindings(shown, index, integrity.findings, active);
  }, [shown, index, integrity, active]);

  // The document is gone while the list is shown in its place.
  useEffect(() => {
    if (shown === null || index === null || awaited.current === null) return;
    scrollTo(shown, index, awaited.current);
    awaited.current = null;
  }, [shown, index]);

  function activate(finding: Finding): void {
    setActive(finding);
    if (shown === null || index === null) awaited.current = finding;
    else scrollTo(shown, index, finding);
    toText();
  }

  function step(by: 1 | -1): void {
    const current = active === null ? -1 : all.indexOf(active);
    const no = current < 0 && by === -1 ? all.length - 1 : (current + by + all.length) % all.length;
    const next = all[no];
    if (next === undefined) return;
    toList();
    activate(next);
    announce(`Finding ${no + 1} of ${all.length}: ${nameFinding(next.kind)}. ${next.message}`);
  }

  const group = "This article";
  const disabled = all.length === 0;
  useShortcuts([
    { keys: "f", label: "Next finding", group, disabled, run: () => step(1) },
    { keys: "shift+f", label: "Previous finding", group, disabled, run: () => step(-1) },
  ]);

  return { problems, active, activate };
}

function scrollTo(shown: Document, index: TextIndex, finding: Finding): void {
  const container = findPlace(shown, index, finding)?.startContainer;
  const part = container?.nodeType === Node.ELEMENT_NODE ? (container as Element) : container?.parentElement;
  if (part != null) scrollToPart(part);
}
