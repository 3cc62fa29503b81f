import { Button, Paper } from "@mantine/core";
import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { Format } from "../document/fingerprint.ts";
import type { ChangeStart } from "./picture-task.ts";
import type { ChosenPicture } from "./text-pictures.ts";
import classes from "./editor-pictures.module.css";

interface PictureBarProps {
  chosen: ChosenPicture;
  format: Format;
  onOpen: (start: ChangeStart) => void;
  onRemove: () => void;
  /** Called when the focus goes elsewhere than to the text. */
  onLeave: () => void;
}

const GAP_PX = 6;
/** The page's bar and the toolbar cover the top of the window. */
const COVERED_PX = 110;

/** The actions on the chosen picture, above it. */
export function PictureBar({ chosen: { dom }, format, onOpen, onRemove, onLeave }: PictureBarProps): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  useEffect(() => {
    const update = () => setPlace(bar.current === null ? null : findPlace(dom, bar.current));
    update();
    // The picture gets its height when it is loaded.
    const resizes = new ResizeObserver(update);
    resizes.observe(dom);
    window.addEventListener("scroll", update, { capture: true, passive: true });
    window.addEventListener("resize", update);
    return () => {
      resizes.disconnect();
      window.removeEventListener("scroll", update, { capture: true });
      window.removeEventListener("resize", update);
    };
  }, [dom]);

  function leave({ relatedTarget: to }: FocusEvent): void {
    if (to instanceof Node && (bar.current?.contains(to) === true || dom.closest(".ProseMirror")?.contains(to))) return;
    onLeave();
  }

  const actions: { label: string; run: () => void }[] = [
    { label: "Caption", run: () => onOpen("caption") },
    { label: "Alternative text", run: () => onOpen("alt") },
    { label: "Replace", run: () => onOpen("replace") },
    ...(format === "html" ? [{ label: "Size", run: () => onOpen("size") }] : []),
    { label: "Remove", run: onRemove },
  ];
  return (
    <Paper
      ref={bar}
      className={classes.bar}
      withBorder
      shadow="md"
      role="toolbar"
      aria-label="Picture"
      data-picture-bar
      style={place === null ? { visibility: "hidden" } : place}
      onBlur={leave}
    >
      {actions.map(({ label, run }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="subtle"
          color="gray"
          // Keeps the picture chosen.
          onMouseDown={(event) => event.preventDefault()}
          onClick={run}
        >
          {label}
        </Button>
      ))}
    </Paper>
  );
}

/** null: the picture is out of sight. */
function findPlace(dom: HTMLElement, bar: HTMLElement): { left: number; top: number } | null {
  const picture = dom.getBoundingClientRect();
  const { width, height } = bar.getBoundingClientRect();
  if (picture.bottom < COVERED_PX || picture.top > window.innerHeight) return null;
  return {
    left: Math.max(GAP_PX, Math.min(picture.left, window.innerWidth - width - GAP_PX)),
    top: Math.max(COVERED_PX, picture.top - height - GAP_PX),
  };
}
