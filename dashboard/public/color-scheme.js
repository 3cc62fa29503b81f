// Before anything is drawn, so that nobody who chose the dark is dazzled first. Keys and names are those of app/app.tsx and
// Mantine. Not a module, and not in the page itself: that would come too late, and the security policy allows no inline script.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("rostrum.colors");
  } catch {
    // Storage is turned off.
  }
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
