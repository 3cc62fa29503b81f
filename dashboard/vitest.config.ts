/** Tests of components, each in a real page of Debian's Chromium: `npm run test:components`. */
import { playwright } from "@vitest/browser-playwright";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { themeCss } from "./theme-css.ts";
import { CHROMIUM, CHROMIUM_ARGS } from "../test/helpers/chromium.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [themeCss(), react()],
  cacheDir: "../node_modules/.cache/vitest",
  // What the tests need is found before the first of them runs: found later, it would load their page again.
  optimizeDeps: { entries: ["src/**/*.test.{ts,tsx}"], exclude: ["@tabler/icons-react"] },
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: { executablePath: CHROMIUM, args: CHROMIUM_ARGS } }),
      instances: [{ browser: "chromium", viewport: { width: 1280, height: 800 } }],
    },
  },
});
