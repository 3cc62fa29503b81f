import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { type ReactNode, useState } from "react";
import { KeyHint } from "../shared/key-hint.tsx";
import { LazyPart, lazyComponent } from "../shared/lazy-part.tsx";
import classes from "./palette-button.module.css";

const Palette = lazyComponent(() => import("./palette/palette.tsx"), "Palette");

/** Loaded when it is first opened. */
export function usePalette(): { open: () => void; part: ReactNode } {
  const [state, setState] = useState<"unused" | "open" | "closed">("unused");
  const [early, setEarly] = useState("");
  function close(): void {
    setState("closed");
    setEarly("");
  }
  const isOpen = state === "open";
  const part = state !== "unused" && (
    <LazyPart fallback={isOpen && <EarlyField typed={early} onType={setEarly} onClose={close} />}>
      <Palette opened={isOpen} initial={early} onClose={close} />
    </LazyPart>
  );
  return { open: () => setState("open"), part };
}

interface EarlyFieldProps {
  typed: string;
  onType: (typed: string) => void;
  onClose: () => void;
}

/** Takes what is typed before the palette is loaded, which the page would otherwise read as its shortcuts. */
function EarlyField({ typed, onType, onClose }: EarlyFieldProps): ReactNode {
  return (
    <VisuallyHidden>
      <input
        ref={borrowFocus}
        aria-label="Article, page or action"
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
        }}
      />
    </VisuallyHidden>
  );
}

/** The palette, which opens next, has to find the focus where it was: it returns it there. */
function borrowFocus(field: HTMLInputElement): () => void {
  const before = document.activeElement;
  field.focus();
  return () => {
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
}

export function PaletteButton({ onClick }: { onClick: () => void }): ReactNode {
  return (
    <UnstyledButton
      className={classes.button}
      aria-keyshortcuts="Control+K"
      onClick={onClick}
      onPointerEnter={() => void Palette.preload()}
    >
      <IconSearch size={16} aria-hidden />
      <span className={classes.text}>Go to…</span>
      <KeyHint keys="mod+k" />
    </UnstyledButton>
  );
}
