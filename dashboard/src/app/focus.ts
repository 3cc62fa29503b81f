import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Moves the focus to the page's heading after a navigation, so that screen readers announce the new page. A page that is still
 * loading gets it when its heading appears.
 */
export function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(() => {
    const main = document.querySelector<HTMLElement>("#main");
    // Keep the focus if the page, or its user, has moved it.
    const isKept = () => {
      const { activeElement } = document;
      return activeElement !== null && activeElement !== document.body && activeElement !== main;
    };
    const focusHeading = () => {
      const heading = main?.querySelector<HTMLElement>("h1") ?? null;
      heading?.focus({ preventScroll: true });
      return heading !== null;
    };
    const appearance = new MutationObserver(() => {
      if (isKept() || focusHeading()) appearance.disconnect();
    });
    const unsubscribe = router.subscribe("onRendered", ({ fromLocation, toLocation }) => {
      if (fromLocation === undefined || fromLocation.pathname === toLocation.pathname) return;
      appearance.disconnect();
      // A link in the navigation still has it.
      if ((isKept() && main?.contains(document.activeElement) === true) || focusHeading()) return;
      main?.focus({ preventScroll: true });
      if (main !== null) appearance.observe(main, { childList: true, subtree: true });
    });
    return () => {
      unsubscribe();
      appearance.disconnect();
    };
  }, [router]);
}
