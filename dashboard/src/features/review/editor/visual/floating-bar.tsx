/** The actions on a part of the text, in a small bar beside it, which stays there while the page scrolls. */
import { Paper } from "@mantine/core";
import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from "react";
import classes from "./floating-bar.module.css";

interface FloatingBarProps {
  label: string;
  /** The part of the text. */
  dom: HTMLElement;
  side: "above" | "below";
  /** Called when the focus goes elsewhere than to the text. */
  onLeave: () => void;
  /** Called when Escape is pressed in the bar. */
  onEscape?: () => void;
  children: ReactNode;
}

const GAP_PX = 6;
/** The page's bar and the toolbar cover the top of the window. */
const COVERED_PX = 110;

export function FloatingBar({ label, dom, side, onLeave, onEscape, children }: FloatingBarProps): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  useEffect(() => {
    const update = () => setPlace(bar.current === null ? null : findPlace(dom, bar.current, side));
    update();
    // A picture gets its height when it is loaded.
    const resizes = new ResizeObserver(update);
    resizes.observe(dom);
    if (bar.current !== null) resizes.observe(bar.current);
    window.addEventListener("scroll", update, { capture: true, passive: true });
    window.addEventListener("resize", update);
    return () => {
      resizes.disconnect();
      window.removeEventListener("scroll", update, { capture: true });
      window.removeEventListener("resize", update);
    };
  }, [dom, side]);

  function leave({ relatedTarget: to }: FocusEvent): void {
    if (to instanceof Node && (bar.current?.contains(to) === true || dom.closest(".ProseMirror")?.contains(to))) return;
    onLeave();
  }

  return (
    <Paper
      ref={bar}
      className={classes.bar}
      withBorder
      shadow="md"
      role="toolbar"
      aria-label={label}
      data-floating-bar
      style={place === null ? { visibility: "hidden" } : place}
      onBlur={leave}
      onKeyDown={(event) => event.key === "Escape" && onEscape?.()}
    >
      {children}
    </Paper>
  );
}

/** Whether the focus goes to such a bar. */
export function isInFloatingBar(to: EventTarget | null): boolean {
  return to instanceof Element && to.closest("[data-floating-bar]") !== null;
}

/** null: the part is out of sight. */
function findPlace(dom: HTMLElement, bar: HTMLElement, side: "above" | "below"): { left: number; top: number } | null {
  // Of a text in several lines, the bar is beside the first or the last.
  const lines = [...dom.getClientRects()];
  const part = (side === "above" ? lines[0] : lines.at(-1)) ?? dom.getBoundingClientRect();
  const { width, height } = bar.getBoundingClientRect();
  if (part.bottom < COVERED_PX || part.top > window.innerHeight) return null;
  const above = Math.max(COVERED_PX, part.top - height - GAP_PX);
  const hasRoomBelow = part.bottom + height + GAP_PX < window.innerHeight - GAP_PX;
  return {
    left: Math.max(GAP_PX, Math.min(part.left, window.innerWidth - width - GAP_PX)),
    top: side === "below" && hasRoomBelow ? part.bottom + GAP_PX : above,
  };
}
