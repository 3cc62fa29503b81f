import { UnstyledButton } from "@mantine/core";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { type ReactNode, useState } from "react";
import { KeyHint } from "../shared/key-hint.tsx";
import { LazyPart, lazyComponent } from "../shared/lazy-part.tsx";
import classes from "./palette-button.module.css";

const Palette = lazyComponent(() => import("./palette/palette.tsx"), "Palette");

/** Loaded when it is first opened. */
export function usePalette(): { open: () => void; part: ReactNode } {
  const [state, setState] = useState<"unused" | "open" | "closed">("unused");
  const part = state !== "unused" && (
    <LazyPart fallback={null}>
      <Palette opened={state === "open"} onClose={() => setState("closed")} />
    </LazyPart>
  );
  return { open: () => setState("open"), part };
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
