/** Writes the theme's CSS variables into src/app/theme.css: computing them in the browser would delay the first paint. */
import { type CssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from "@mantine/core";
import type { Plugin } from "vite";
import { cssVariables, theme } from "./src/app/theme.ts";

const SELECTORS = {
  variables: ":root",
  light: ':root[data-mantine-color-scheme="light"]',
  dark: ':root[data-mantine-color-scheme="dark"]',
} as const;

export function themeCss(): Plugin {
  return {
    name: "theme-css",
    enforce: "pre",
    transform: (code, id) => (id.endsWith("/src/app/theme.css") ? `${code}${buildCss()}` : undefined),
  };
}

/** The variables that differ from those in Mantine's own style sheet. */
function buildCss(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const known = defaultCssVariablesResolver(DEFAULT_THEME);
  const base = defaultCssVariablesResolver(merged);
  const own = cssVariables(merged);
  return (["variables", "light", "dark"] as const)
    .map((part) => {
      const variables: CssVariables = { ...base[part], ...own[part] };
      const defaults: CssVariables = known[part];
      const changed = Object.entries(variables).filter(([name, value]) => defaults[name as `--${string}`] !== value);
      return `${SELECTORS[part]} {${changed.map(([name, value]) => `${name}: ${value};`).join("")}}`;
    })
    .join("\n");
}
