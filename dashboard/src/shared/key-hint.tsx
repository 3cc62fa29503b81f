import { Kbd } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./key-hint.module.css";
import { keyNames } from "./keys.ts";

interface KeyHintProps {
  /** In the syntax of `useShortcuts`: `a`, `shift+a`, `mod+Enter`. */
  keys: string;
  /** In a filled button, whose text colour it takes. */
  isFilled?: boolean | undefined;
}

/**
 * Shows a shortcut inside its button. Visual only: screen readers get `aria-keyshortcuts`. Hidden on touch devices and narrow
 * screens.
 */
export function KeyHint({ keys, isFilled = false }: KeyHintProps): ReactNode {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  const [names = []] = keyNames(keys, isMac);
  return (
    <Kbd size="xs" className={classes.root} data-filled={isFilled || undefined} aria-hidden>
      {names.map((name) => SHORT[name] ?? name).join(names.includes("Ctrl") ? " " : "")}
    </Kbd>
  );
}

const SHORT: Record<string, string> = { Shift: "⇧", Delete: "Del", Enter: "↵" };
