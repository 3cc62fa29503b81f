/** Runs `work` once what is being rendered is on the screen; in a hidden tab, which paints nothing, at once. */
export function afterPaint(work: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}
