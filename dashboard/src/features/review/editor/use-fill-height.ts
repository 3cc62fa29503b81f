import { type RefObject, useEffect } from "react";

/** Fills the space between the element's top and the save bar, at any scroll position. */
export function useFillHeight(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let frame = 0;
    const fit = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const { current } = element;
        const room = window.innerHeight - (current?.getBoundingClientRect().top ?? 0) - BELOW_PX;
        current?.style.setProperty("--fill-height", `${Math.max(MIN_HEIGHT_PX, Math.round(room))}px`);
      });
    };
    fit();
    window.addEventListener("scroll", fit, { passive: true });
    window.addEventListener("resize", fit);
    const observer = new ResizeObserver(fit);
    observer.observe(document.body);
    // It may show something else, elsewhere in the window.
    if (element.current !== null) observer.observe(element.current);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("scroll", fit);
      window.removeEventListener("resize", fit);
      observer.disconnect();
    };
  }, [element]);
}

/** The save bar plus a margin. */
const BELOW_PX = 76;
const MIN_HEIGHT_PX = 360;
