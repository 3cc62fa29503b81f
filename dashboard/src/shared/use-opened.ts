import { useDeferredValue } from "react";

/**
 * Whether a dialog that is loaded at its first use is open. It opens after it was rendered closed, because only then does it
 * know what had the focus before, and returns it.
 */
export function useOpened(isOpen: boolean): boolean {
  const isRendered = useDeferredValue(isOpen, false);
  return isOpen && isRendered;
}
