import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { readChoice, saveChoice } from "../../../../api/stored-choice.ts";

export interface FoldingPanel {
  isOpen: boolean;
  open: () => void;
  /** Folds the panel if it hides the text. */
  showText: () => void;
  toggle: () => void;
}

/**
 * The panel beside the text. The browser remembers whether it is folded; it begins folded for a new article. On a narrow
 * screen it takes the place of the text, and is never remembered.
 */
export function usePanel(isNew: boolean): FoldingPanel {
  const key = isNew ? "rostrum.new-article-panel" : "rostrum.editor-panel";
  const isWide = useMediaQuery("(min-width: 1024px)", undefined, { getInitialValueInEffect: false }) ?? true;
  const [isBeside, setBeside] = useState(() => (readChoice(key) ?? (isNew ? "folded" : "open")) === "open");
  const [isInstead, setInstead] = useState(false);
  const isOpen = isWide ? isBeside : isInstead;

  function show(next: boolean): void {
    if (!isWide) return setInstead(next);
    setBeside(next);
    saveChoice(key, next ? "open" : "folded");
  }

  return { isOpen, open: () => show(true), showText: () => setInstead(false), toggle: () => show(!isOpen) };
}
