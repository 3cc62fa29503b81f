/**
 * Checks every dialog and menu as the owner sees it, one after the other in one tab. Runs only with
 * `ROSTRUM_TEST_THOROUGH=1`.
 */
import type { Page } from "playwright-core";
import { IS_THOROUGH } from "../helpers/properties.ts";
import { until } from "../helpers/until.ts";
import { startTab } from "./check-pages.ts";
import { shared, test } from "./journeys.ts";
import { type DashboardPage, goToPage, NARROW, openDialog, WIDE } from "./pages.ts";

const OVERFLOW = "document.documentElement.scrollWidth - innerWidth";
const SCHEMES = ["light", "dark"] as const;

/** The dialogs are divided between two files, so that each has its own time limit. */
export function lookAtDialogs(dialogs: readonly DashboardPage[]): void {
  if (!IS_THOROUGH) return;
  const shown = shared(() => startTab({ ...WIDE, colorScheme: "light" }));
  let current: DashboardPage["path"] | undefined;
  for (const dialog of dialogs) {
    test(`${dialog.name} keeps nobody out, in light and dark, and fits a phone`, async () => {
      const { world, tab } = shown();
      const { page } = tab;
      const isSamePage = dialog.path === current && (await close(page));
      current = undefined;
      await (isSamePage ? openDialog(world, dialog, tab) : goToPage(world, dialog, tab));
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
        // Colours have less contrast during a transition.
        await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
        await tab.axe();
      }
      await page.setViewportSize(NARROW);
      // A menu reaches its position a moment later.
      await until("nothing sticks out to the right", async () => Number(await page.evaluate(OVERFLOW)) <= 0);
      await page.setViewportSize(WIDE);
      current = dialog.path;
    });
  }
}

/** @returns whether everything is closed. */
async function close(page: Page): Promise<boolean> {
  const open = page.locator('[role="dialog"], [role="menu"], [role="listbox"]').first();
  if ((await open.count()) === 0) return true;
  await page.keyboard.press("Escape");
  try {
    await open.waitFor({ state: "detached", timeout: 1_000 });
    return true;
  } catch {
    return false;
  }
}
