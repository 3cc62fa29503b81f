/**
 * `npm run screenshots`: every page, dialog and menu of the dashboard at 1280 and 390 pixels, in light and dark, into
 * .cache/screenshots. `npm run screenshots -- article webhook` captures only those whose names begin so; `--full` captures the
 * full length of each page, `--light` and `--dark` only one of them, `--large` also 1600 pixels, and `--forced` the colours of a
 * system's high contrast.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Visit } from "../test/journeys/browser.ts";
import { DIALOGS } from "../test/journeys/dialogs.ts";
import { explained } from "../test/journeys/journeys.ts";
import { type DashboardPage, goToPage, type Look, NARROW, openPage, PAGES, WIDE } from "../test/journeys/pages.ts";
import { startWorld } from "../test/journeys/world.ts";

const FOLDER = join(import.meta.dirname, "..", ".cache", "screenshots");

const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith("--"));
const pages = [...PAGES, ...DIALOGS].filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)),
);
const schemes = (["light", "dark"] as const).filter((one) => !words.includes(one === "light" ? "--dark" : "--light"));

const isForced = words.includes("--forced");
const sizes: readonly Omit<Look, "colorScheme">[] = [
  WIDE,
  NARROW,
  ...(words.includes("--large") ? [{ width: 1600, height: 900 }] : []),
];

mkdirSync(FOLDER, { recursive: true });
await using world = await explained(startWorld);
let captured = 0;
for (const colorScheme of schemes) {
  const forcedColors = isForced ? "active" : "none";
  for (const size of sizes) await captureAll({ ...size, colorScheme, context: { ...size.context, forcedColors } });
}
process.stdout.write(`${captured} pictures in ${FOLDER}\n`);

async function captureAll(look: Look): Promise<void> {
  await using tab = await world.journey.open("/dashboard", { ...look, as: world.owner, expected: /./ });
  tab.page.setDefaultTimeout(10_000);
  for (const page of pages) {
    try {
      await explained(() => capture(page, look, tab));
      captured += 1;
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(`${page.name}, ${look.width} px, ${look.colorScheme}: ${String(error)}\n`);
    }
  }
}

async function capture(page: DashboardPage, look: Look, tab: Visit): Promise<void> {
  const options = {
    path: join(FOLDER, `${page.name}-${look.width}-${look.colorScheme}${isForced ? "-forced" : ""}.png`),
    fullPage: words.includes("--full"),
  };
  if (page.isOpen === true) {
    await using visit = await openPage(world, page, look);
    await visit.page.screenshot(options);
  } else {
    await goToPage(world, page, tab);
    await tab.page.screenshot(options);
  }
}
