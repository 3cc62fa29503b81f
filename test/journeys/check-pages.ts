import assert from "node:assert/strict";
import { shared, test } from "./journeys.ts";
import { type Look, openPage, PAGES } from "./pages.ts";
import { startWorld } from "./world.ts";

/** Tests of every page as it looks so. One look is one file: they run side by side. */
export function lookAtPages(look: Look): void {
  const world = shared(startWorld);
  for (const page of PAGES) {
    test(`${page.name} keeps nobody out and fits the screen, ${look.width} px, ${look.colorScheme}`, async () => {
      await using visit = await openPage(world(), page, look);
      await visit.axe();
      const overflow = Number(await visit.page.evaluate("document.documentElement.scrollWidth - innerWidth"));
      assert.ok(overflow <= 0, `${overflow} px stick out to the right`);
      assert.equal(await visit.page.getByRole("heading", { level: 1 }).count(), 1, "a page has one main heading");
    });
  }
}
