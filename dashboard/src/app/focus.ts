import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** After a change of the page the focus is at its heading: those who listen hear where they are. */
export function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, toLocation }) => {
        if (fromLocation === undefined || fromLocation.pathname === toLocation.pathname) return;
        const main = document.querySelector("#main");
        // A page that has put the focus somewhere knows why.
        if (main?.contains(document.activeElement) === true && document.activeElement !== main) return;
        main?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
      }),
    [router],
  );
}
