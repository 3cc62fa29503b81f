/**
 * `npm run screenshots`: every page, dialog and menu of the dashboard at 1280 and 390 pixels, in light and dark, into .cache/screenshots.
 * `npm run screenshots -- article webhook` captures only pages whose names begin so; `--full` captures the full
 * length of each page.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DIALOGS } from "../test/journeys/dialogs.ts";
import { explained } from "../test/journeys/journeys.ts";
import { NARROW, openPage, PAGES, WIDE } from "../test/journeys/pages.ts";
import { startWorld } from "../test/journeys/world.ts";

const FOLDER = join(import.meta.dirname, "..", ".cache", "screenshots");

const words = process.argv.slice(2);
const fullPage = words.includes("--full");
const wanted = words.filter((word) => !word.startsWith("--"));
const pages = [...PAGES, ...DIALOGS].filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)),
);

mkdirSync(FOLDER, { recursive: true });
await using world = await explained(startWorld);
for (const page of pages) {
  for (const size of [WIDE, NARROW]) {
    for (const colorScheme of ["light", "dark"] as const) {
      const path = join(FOLDER, `${page.name}-${size.width}-${colorScheme}.png`);
      try {
        await explained(async () => {
          await using visit = await openPage(world, page, { ...size, colorScheme });
          await visit.page.screenshot({ path, fullPage });
        });
      } catch (error) {
        process.exitCode = 1;
        process.stderr.write(`${page.name}, ${size.width} px, ${colorScheme}: ${String(error)}\n`);
      }
    }
  }
}
process.stdout.write(`${pages.length * 4} pictures in ${FOLDER}\n`);
