/** Tests of components, each in a real page of Debian's Chromium: `npm run test:components`. */
import { playwright } from "@vitest/browser-playwright";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { CHROMIUM, CHROMIUM_ARGS } from "../test/helpers/chromium.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  cacheDir: "../node_modules/.cache/vitest",
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
