import { type ReactNode, useState } from "react";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { useShortcutPause } from "../../../shared/shortcuts.tsx";
import type { Composing } from "./use-commenting.ts";

const Composer = lazyComponent(() => import("./composer.tsx"), "Composer");

/** The dialog for a new comment, loaded at its first use. Then it stays, because it returns the focus after it has closed. */
export function ComposerDialog({ composing }: { composing: Composing }): ReactNode {
  const [isUsed, setUsed] = useState(false);
  const isOpen = composing.draft !== undefined;
  useShortcutPause(isOpen);
  if (isOpen && !isUsed) setUsed(true);
  if (!isUsed) return null;
  return (
    <LazyPart fallback={null}>
      <Composer commenting={composing} />
    </LazyPart>
  );
}
