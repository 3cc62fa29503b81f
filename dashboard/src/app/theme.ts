/**
 * Ink on paper, with one accent colour. Shades are chosen for a text contrast of 4.5:1 wherever they are used. Light: 7 and
 * white on each other, 9 on 1, gray 6 on 0 and 1. Dark: 6 and white on each other, 0 to 2 on 5 to 7, 4 on 6 and 7.
 */
import {
  alpha,
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from "@mantine/core";
import type { FocusEvent } from "react";

const pine: MantineColorsTuple = [
  "#f0f8f5",
  "#dcefe8",
  "#b9dfd1",
  "#8fcab5",
  "#62b298",
  "#41997d",
  "#2c8066",
  "#1f6f5c",
  "#195849",
  "#124337",
];

const red: MantineColorsTuple = [
  "#fdf3f1",
  "#fbe4e0",
  "#f5c4bc",
  "#ee9f93",
  "#e7796a",
  "#da5845",
  "#c5402e",
  "#ad3122",
  "#8c261a",
  "#661b12",
];

const amber: MantineColorsTuple = [
  "#fef8ea",
  "#fbedc9",
  "#f5da94",
  "#edc25a",
  "#e0a92e",
  "#c28610",
  "#98680a",
  "#845807",
  "#694506",
  "#4e3304",
];

const blue: MantineColorsTuple = [
  "#f1f6fc",
  "#deeaf8",
  "#bdd5f0",
  "#92bae5",
  "#6ba1db",
  "#437fc4",
  "#3069b0",
  "#285a99",
  "#204878",
  "#18365b",
];

const gray: MantineColorsTuple = [
  "#f7f8f7",
  "#eff1f0",
  "#e4e7e5",
  "#d5d9d7",
  "#b4bbb8",
  "#87908c",
  "#626c68",
  "#4a534f",
  "#2f3633",
  "#1b211f",
];

const dark: MantineColorsTuple = [
  "#e4e8e6",
  "#c9cfcc",
  "#9ba5a0",
  "#848f8a",
  "#3a433f",
  "#2a312e",
  "#1d2321",
  "#151a18",
  "#101413",
  "#0b0e0d",
];

/** Its CSS variables are computed when the dashboard is built (../../theme-css.ts). */
export const theme: MantineThemeOverride = createTheme({
  colors: { pine, red, amber, yellow: amber, green: pine, blue, gray, dark },
  primaryColor: "pine",
  primaryShade: { light: 7, dark: 6 },
  black: gray[9],
  fontFamily:
    '"Inter Variable", "Inter Fallback", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "0.8125rem", sm: "0.875rem", md: "0.9375rem", lg: "1.0625rem", xl: "1.25rem" },
  headings: {
    fontWeight: "620",
    textWrap: "pretty",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.3" },
      h2: { fontSize: "1.25rem", lineHeight: "1.35" },
      h3: { fontSize: "1.0625rem", lineHeight: "1.4" },
      h4: { fontSize: "1rem", lineHeight: "1.4" },
      h5: { fontSize: "0.9375rem", lineHeight: "1.4" },
      h6: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  radius: { xs: "4px", sm: "6px", md: "10px", lg: "14px", xl: "24px" },
  defaultRadius: "sm",
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "32px" },
  shadows: {
    xs: "0 1px 2px rgba(16, 24, 20, 0.06)",
    sm: "0 1px 3px rgba(16, 24, 20, 0.1)",
    md: "0 4px 16px -2px rgba(16, 24, 20, 0.12), 0 1px 3px rgba(16, 24, 20, 0.08)",
    lg: "0 12px 32px -8px rgba(16, 24, 20, 0.2), 0 2px 6px rgba(16, 24, 20, 0.08)",
    xl: "0 24px 56px -12px rgba(16, 24, 20, 0.28)",
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Otherwise the options of closed lists would be laid out before the first paint. Without a portal they are inside a landmark.
    Combobox: { defaultProps: { keepMounted: false, withinPortal: false, floatingStrategy: "fixed" } },
    Alert: { defaultProps: { radius: "md" } },
    Button: { defaultProps: { size: "sm" } },
    Checkbox: { defaultProps: { radius: "xs" } },
    Card: { defaultProps: { radius: "md", withBorder: true } },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    // The placeholder is not a menu item; without it the first item gets the focus.
    Menu: {
      defaultProps: {
        shadow: "lg",
        radius: "md",
        transitionProps: { duration: 90 },
        withInitialFocusPlaceholder: false,
        withinPortal: false,
        floatingStrategy: "fixed",
      },
    },
    Modal: {
      defaultProps: {
        radius: "md",
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { duration: 120 },
        closeButtonProps: { "aria-label": "Close" },
        // A dialog's header is not the page's banner, also when one dialog opens another.
        attributes: { header: { role: "presentation" } },
        styles: { title: { fontSize: "1.0625rem", fontWeight: 620, lineHeight: 1.35 } },
      },
    },
    Paper: { defaultProps: { radius: "md" } },
    // In a searchable list, typing replaces the current choice, and Enter takes the first match.
    Select: {
      defaultProps: {
        selectFirstOptionOnChange: true,
        onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>) => {
          if (!currentTarget.readOnly) currentTarget.select();
        },
      },
    },
    // The field around it shows the focus.
    TagsInput: { defaultProps: { styles: { inputField: { outline: "none" } } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250, transitionProps: { duration: 80 } } },
  },
});

/** Dark scheme: translucent tints that work on any surface, instead of Mantine's opaque dark shades. */
function darkTints(): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ pine, green: pine, red, amber, yellow: amber, blue, gray }).flatMap(([name, shades]) => [
      [`--mantine-color-${name}-light`, alpha(shades[4], 0.15)],
      [`--mantine-color-${name}-light-hover`, alpha(shades[4], 0.22)],
      [`--mantine-color-${name}-light-color`, shades[2]],
    ]),
  );
}

/** Beside Mantine's: `--rostrum-sidebar`, `-sunken` (surfaces), `-line` (separators), `-hover`, `-active` (rows, links). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-error": "var(--mantine-color-red-7)",
    "--mantine-color-success": "var(--mantine-color-pine-7)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-6)",
    "--rostrum-sidebar": "var(--mantine-color-gray-0)",
    "--rostrum-sunken": "var(--mantine-color-gray-0)",
    "--rostrum-line": "var(--mantine-color-gray-2)",
    "--rostrum-hover": "rgba(27, 33, 31, 0.05)",
    "--rostrum-active": "rgba(27, 33, 31, 0.08)",
  },
  dark: {
    ...darkTints(),
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-success": "var(--mantine-color-pine-4)",
    "--rostrum-sidebar": "var(--mantine-color-dark-8)",
    "--rostrum-sunken": "var(--mantine-color-dark-8)",
    "--rostrum-line": "var(--mantine-color-dark-5)",
    "--rostrum-hover": "rgba(228, 232, 230, 0.06)",
    "--rostrum-active": "rgba(228, 232, 230, 0.1)",
  },
});
