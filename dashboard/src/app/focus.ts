import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Moves the focus to the page's heading after a navigation, so that screen readers announce the new page. */
export function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, toLocation }) => {
        if (fromLocation === undefined || fromLocation.pathname === toLocation.pathname) return;
        const main = document.querySelector("#main");
        // Keep the focus if the page has set it itself.
        if (main?.contains(document.activeElement) === true && document.activeElement !== main) return;
        main?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
      }),
    [router],
  );
}
