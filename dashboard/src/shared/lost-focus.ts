import { focusWhenShown } from "./focus-when-shown.ts";

/** The dialog gives the focus back within this time. */
const RETURNED_MS = 50;

/**
 * After a confirmation: what had the focus before may be gone, at once or when its list has been loaded again. Then the page's
 * heading gets it; otherwise keyboard users would start again at the top of the page. Ends with the next key or click.
 */
export function catchLostFocus(): void {
  const main = document.querySelector("#main");
  if (main === null) return;
  const rescue = () => {
    if (document.activeElement === document.body) focusWhenShown(main.querySelector("h1"));
  };
  const changes = new MutationObserver(rescue);
  changes.observe(main, { childList: true, subtree: true });
  const timer = setTimeout(rescue, RETURNED_MS);
  const stop = () => {
    clearTimeout(timer);
    changes.disconnect();
    for (const kind of ENDS) document.removeEventListener(kind, stop);
  };
  for (const kind of ENDS) document.addEventListener(kind, stop);
}

const ENDS = ["keydown", "pointerdown"] as const;
