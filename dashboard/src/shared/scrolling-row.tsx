import IconChevronLeft from "@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import classes from "./scrolling-row.module.css";

const SELECTED = '[aria-selected="true"], [aria-current="page"]';

/**
 * Its child, such as a list of tabs, scrolls sideways if it has no room, and an arrow shows on which side it goes on.
 * What is selected in it is always in sight. The arrows are for pointers: keys move the focus, which scrolls.
 */
export function ScrollingRow({ children }: { children: ReactNode }): ReactNode {
  const root = useRef<HTMLDivElement>(null);
  const shown = useRef<{ selected: Element; end: number }>(null);
  const [goesOn, setGoesOn] = useState({ left: false, right: false });
  // After each render, because it may change what is selected, and the widths.
  useLayoutEffect(() => {
    const row = root.current?.firstElementChild;
    if (!(row instanceof HTMLElement)) return undefined;
    const look = () => {
      const left = row.scrollLeft > 1;
      const right = row.scrollLeft + row.clientWidth < row.scrollWidth - 1;
      setGoesOn((before) => (before.left === left && before.right === right ? before : { left, right }));
    };
    const selected = row.querySelector<HTMLElement>(SELECTED);
    if (selected !== null) {
      const end = selected.offsetLeft + selected.offsetWidth;
      // Those before it grow when their numbers arrive.
      if (selected !== shown.current?.selected || end !== shown.current.end) reveal(row, selected);
      shown.current = { selected, end };
    }
    look();
    const observer = new ResizeObserver(look);
    for (const element of [row, ...row.children]) observer.observe(element);
    row.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      row.removeEventListener("scroll", look);
    };
  });

  function scroll(direction: 1 | -1): void {
    const row = root.current?.firstElementChild;
    row?.scrollBy({ left: direction * row.clientWidth * 0.7 });
  }

  return (
    <div ref={root} className={classes.root}>
      {children}
      {goesOn.left && (
        <button type="button" tabIndex={-1} aria-hidden className={classes.left} onClick={() => scroll(-1)}>
          <IconChevronLeft size={16} />
        </button>
      )}
      {goesOn.right && (
        <button type="button" tabIndex={-1} aria-hidden className={classes.right} onClick={() => scroll(1)}>
          <IconChevronRight size={16} />
        </button>
      )}
    </div>
  );
}

/** Beside the arrows, and without scrolling the page. */
function reveal(row: HTMLElement, item: HTMLElement): void {
  const [frame, box] = [row.getBoundingClientRect(), item.getBoundingClientRect()];
  if (box.left < frame.left + ARROW_PX) row.scrollLeft -= frame.left + ARROW_PX - box.left;
  else if (box.right > frame.right - ARROW_PX) row.scrollLeft += box.right - frame.right + ARROW_PX;
}

/** As in the style sheet. */
const ARROW_PX = 32;
