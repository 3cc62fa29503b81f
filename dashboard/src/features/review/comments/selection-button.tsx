/** A button to comment on the text that is selected in the article. */
import { Button, Portal } from "@mantine/core";
import IconMessagePlus from "@tabler/icons-react/dist/esm/icons/IconMessagePlus.mjs";
import { type ReactNode, useEffect, useState } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import classes from "./comments.module.css";
import { type Commenting, readSelection } from "./use-commenting.ts";

/** The button's position in pixels of the page. */
interface ButtonPosition {
  top: number;
  left: number;
}

const GAP_PX = 8;
const WIDTH_PX = 140;

interface SelectionButtonProps {
  commenting: Pick<Commenting, "shown" | "index" | "mayWrite" | "draft" | "begin">;
  hasShortcut?: boolean;
}

export function SelectionButton({ commenting, hasShortcut = true }: SelectionButtonProps): ReactNode {
  const { shown, index, mayWrite, draft, begin } = commenting;
  const [position, setPosition] = useState<ButtonPosition | null>(null);
  useEffect(() => {
    if (shown === null || index === null || !mayWrite) return undefined;
    const onChange = () => setPosition(readSelection(shown, index) === null ? null : findPosition(shown));
    // The text may have been selected while the page was loading.
    onChange();
    shown.addEventListener("selectionchange", onChange);
    return () => {
      shown.removeEventListener("selectionchange", onChange);
      setPosition(null);
    };
  }, [shown, index, mayWrite]);
  if (position === null || draft !== undefined) return null;
  return (
    <Portal>
      <Button
        className={classes.offer}
        style={position}
        size="xs"
        leftSection={<IconMessagePlus size={16} aria-hidden />}
        rightSection={hasShortcut ? <KeyHint keys="m" isFilled /> : undefined}
        // Otherwise the click would clear the selection.
        onMouseDown={(event) => event.preventDefault()}
        onClick={begin}
      >
        Comment
      </Button>
    </Portal>
  );
}

function findPosition(shown: Document): ButtonPosition | null {
  const frame = shown.defaultView?.frameElement?.getBoundingClientRect();
  const rects = shown.getSelection()?.getRangeAt(0).getClientRects();
  const last = rects?.[rects.length - 1];
  if (frame === undefined || last === undefined) return null;
  const left = Math.min(frame.left + last.left, document.documentElement.clientWidth - WIDTH_PX);
  return { top: window.scrollY + frame.top + last.bottom + GAP_PX, left: Math.max(GAP_PX, left) };
}
