import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { type ReactNode, useRef, useState } from "react";
import { focusWhenShown } from "../shared/focus-when-shown.ts";
import { KeyHint } from "../shared/key-hint.tsx";
import { LazyPart, lazyComponent } from "../shared/lazy-part.tsx";
import classes from "./palette-button.module.css";

const Palette = lazyComponent(() => import("./palette/palette.tsx"), "Palette");

/** Loaded when it is first opened. */
export function usePalette(): { open: () => void; part: ReactNode } {
  const [state, setState] = useState<"unused" | "open" | "closed">("unused");
  const [typed, setTyped] = useState("");
  // Whether its own field takes what is typed.
  const [isReady, setReady] = useState(false);
  const before = useRef<Element | null>(null);
  const isOpen = state === "open";

  function open(): void {
    if (!isOpen) before.current = document.activeElement;
    setState("open");
  }

  function close(): void {
    setState("closed");
    setTyped("");
    setReady(false);
    // Its field, which has the focus, is gone by then.
    setTimeout(() => before.current instanceof HTMLElement && before.current.focus({ preventScroll: true }));
  }

  const part = state !== "unused" && (
    <>
      {isOpen && !isReady && <EarlyField typed={typed} onType={setTyped} onClose={close} />}
      <LazyPart fallback={null}>
        <Palette opened={isOpen} typed={typed} onType={setTyped} onReady={() => setReady(true)} onClose={close} />
      </LazyPart>
    </>
  );
  return { open, part };
}

interface EarlyFieldProps {
  typed: string;
  onType: (typed: string) => void;
  onClose: () => void;
}

/** Takes what is typed before the palette is loaded and has the focus; the page would read it as its shortcuts. */
function EarlyField({ typed, onType, onClose }: EarlyFieldProps): ReactNode {
  return (
    <VisuallyHidden>
      <input
        ref={focusWhenShown}
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
