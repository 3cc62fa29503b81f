// Before anything is drawn and before the scripts arrive. Keys and names are those of app/app.tsx, api/session.ts, api/client.ts
// and Mantine. Not a module, and not in the page itself: that would come too late, and the security policy allows no inline
// script.
(() => {
  let [chosen, last] = [null, null];
  try {
    [chosen, last] = [localStorage.getItem("rostrum.colors"), localStorage.getItem("rostrum.website")];
  } catch {
    // Storage is turned off.
  }
  // Nobody who chose the dark is dazzled first.
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
  // Every page except the guests' needs to know who is signed in.
  if (location.pathname === "/dashboard/review") return;
  const website = new URLSearchParams(location.search).get("website") ?? last;
  const url = `/dashboard/api/session${website === null ? "" : `?${new URLSearchParams({ website_id: website })}`}`;
  const response = fetch(url, { credentials: "same-origin", headers: { Accept: "application/json" } });
  response.catch(() => {});
  globalThis.rostrumFirst = { url, response };
})();
