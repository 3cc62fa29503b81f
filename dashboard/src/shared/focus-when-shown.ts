/**
 * A `ref` that focuses the element that replaces a focused one, such as a button that is gone; otherwise keyboard users would
 * start again at the top of the page. An element that is not a control needs `tabIndex={-1}`.
 */
export function focusWhenShown(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}
