/** The two editors of the text, each loaded when it is needed. */
import { readChoice, saveChoice } from "../../../../api/stored-choice.ts";
import { lazyComponent } from "../../../../shared/lazy-part.tsx";

export const SourceEditor = lazyComponent(() => import("../source/source-editor.tsx"), "SourceEditor");
export const VisualEditor = lazyComponent(() => import("../visual/visual-editor.tsx"), "VisualEditor");

export type View = "visual" | "source";

const KEY = "rostrum.editor-view";

export function readView(): View {
  return readChoice(KEY) === "source" ? "source" : "visual";
}

export function saveView(view: View): void {
  saveChoice(KEY, view);
}

/** Loads the editor that the page will show. */
export function preloadEditor(): void {
  void (readView() === "source" ? SourceEditor : VisualEditor).preload();
}
