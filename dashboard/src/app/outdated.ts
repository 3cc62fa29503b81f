/**
 * After an upgrade of the service an open tab asks for files that are not there any more. Then the page is loaded anew, at
 * the address where somebody is going. Not before they go anywhere: what they are writing is on the page, and links ask
 * for their pages as soon as somebody points at them.
 */
import type { AppRouter } from "./router.tsx";

const RELOADED = "rostrum.reloaded";

/** `build`: which one this page is of. One that was loaded anew and is still the same has no newer one: PageError says so. */
export function reloadWhenOutdated(router: AppRouter, build: string): void {
  let isOutdated = false;
  const reload = (): void => {
    if (sessionStorage.getItem(RELOADED) === build) return;
    sessionStorage.setItem(RELOADED, build);
    // The browser's address follows the router's a moment later.
    router.history.flush();
    window.location.reload();
  };
  window.addEventListener("vite:preloadError", () => {
    isOutdated = true;
    if (router.state.status === "pending") reload();
  });
  // Whoever had something to lose has been asked by then.
  router.subscribe("onBeforeLoad", ({ pathChanged }) => {
    if (isOutdated && pathChanged) reload();
  });
}
