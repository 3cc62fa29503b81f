/**
 * A `ref` of what takes the place of something that had the focus, such as a button that is gone: those without a mouse
 * would else begin again at the top of the page. What it is given to needs `tabIndex={-1}` if it is no control.
 */
export function focusWhenShown(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}
