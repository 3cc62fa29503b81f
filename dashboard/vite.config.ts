import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { themeCss } from "./theme-css.ts";

export default defineConfig({
  root: import.meta.dirname,
  base: "/dashboard/",
  plugins: [themeCss(), react()],
  // With PostCSS, classes composed from other files make Vite warn.
  css: { transformer: "lightningcss" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "baseline-widely-available",
    sourcemap: false,
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // Its polyfill would be one more script; browsers of the target have it built in.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What the first load may cost is a test (test/contract/dashboard-size.test.ts), of compressed bytes.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // It changes with its releases, not with ours: browsers keep it across upgrades.
            { name: "react", test: /[\\/]node_modules[\\/](react|react-dom|scheduler|@tanstack)[\\/]/ },
            // Without these groups there would be some thirty files of a few hundred bytes.
            { name: "icons", test: /[\\/]@tabler[\\/]/ },
            { name: "initial", tags: ["$initial"] },
            // On many pages, but not where one writes.
            { name: "forms", test: /[\\/](@mantine[\\/]form|klona|components[\\/]Table)[\\/]/ },
            // Only the editor and its parts have them.
            {
              name: "editor-model",
              test: /[\\/](prosemirror-model|orderedmap|editor[\\/]document[\\/](schema|embeds|addresses))[\\/.]/,
            },
            { name: "common", minShareCount: 4 },
          ],
        },
      },
    },
  },
});
