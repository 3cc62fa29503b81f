import assert from "node:assert/strict";
import type { Visit } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { goToPage, type Look, openPage, PAGES } from "./pages.ts";
import { startWorld } from "./world.ts";

/** Tests every page with one width and colour scheme. Each combination is a file, so that they run concurrently. */
export function lookAtPages(look: Look): void {
  const shown = shared(() => startTab(look));
  for (const page of PAGES) {
    test(`${page.name} keeps nobody out and fits the screen, ${look.width} px, ${look.colorScheme}`, async () => {
      const { world, tab } = shown();
      if (page.isOpen === true) {
        await using visit = await openPage(world, page, look);
        await check(visit);
      } else {
        const earlier = tab.complaints.length;
        await goToPage(world, page, tab);
        await check(tab);
        assert.deepEqual(tab.complaints.slice(earlier), [], `what ${tab.page.url()} complained about`);
      }
    });
  }
}

/** The owner's tab, used for one page after the other: a new tab takes three times as long to show its first page. */
export async function startTab(look: Look) {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await startWorld());
  const tab = opened.use(await world.journey.open("/dashboard", { ...look, as: world.owner }));
  const owned = opened.move();
  return { world, tab, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function check(visit: Visit): Promise<void> {
  const { page } = visit;
  await visit.axe();
  const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
  assert.ok(overflow <= 0, `${overflow} px stick out to the right`);
  assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, "a page has one main heading");
}
