"use client";

export function ThemeButton() {
  const change = () => {
    const root = document.documentElement;
    const isDark =
      root.dataset.theme === "dark" ||
      (root.dataset.theme === undefined && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  };
  return (
    <button className="theme" type="button" aria-label="Switch between light and dark" onClick={change}>
      ◐
    </button>
  );
}
