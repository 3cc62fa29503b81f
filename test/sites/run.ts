/**
 * `npm run test:sites -- [NAME…] [--articles N] [--changes N]`: follows the guides of docs/sites from an empty folder. It packs the
 * client and the kits, installs each generator with npm, builds the code that the guide shows, and checks every page. Where pages
 * are made on request it then changes articles while pages are visited through a slow network, and counts pages that are still old one
 * second after their webhook was accepted. It needs npm's registry, so it is not a part of `npm test`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tempFolder } from "../helpers/folder.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { checkAstro, checkAstroServer } from "./astro.ts";
import { checkCreatedSite } from "./created-site.ts";
import { checkEleventy } from "./eleventy.ts";
import { checkNextTags, checkNextUseCache } from "./next.ts";
import { checkNuxt } from "./nuxt.ts";
import { checkPython } from "./python.ts";
import { startSiteService } from "./service.ts";
import { environment, npm, ROOT, type SiteTest, tell } from "./site.ts";
import { checkSvelteKit } from "./sveltekit.ts";

const CHECKS: Record<string, (test: SiteTest) => Promise<void>> = {
  next: checkNextTags,
  "next-use-cache": checkNextUseCache,
  astro: checkAstro,
  "astro-server": checkAstroServer,
  sveltekit: checkSvelteKit,
  nuxt: checkNuxt,
  python: checkPython,
  eleventy: checkEleventy,
  "new-astro": (test) => checkTemplate("astro", test),
  "new-next": (test) => checkTemplate("next", test),
};
const KITS = ["client", "kits/next", "kits/astro", "kits/create-rostrum-site"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { articles: { type: "string", default: "300" }, changes: { type: "string", default: "100" } },
});
const unknown = positionals.filter((name) => !(name in CHECKS));
if (unknown.length > 0)
  throw new Error(`No such site: ${unknown.join(", ")}. There are ${Object.keys(CHECKS).join(", ")}.`);

await using folder = await tempFolder();
const packs = join(folder.path, "packs");
mkdirSync(packs);
await npm(ROOT, "pack", ...KITS.flatMap((kit) => ["--workspace", kit]), "--pack-destination", packs);
const [articles, changes] = [Number(values.articles), Number(values.changes)];
for (const [name, check] of Object.entries(CHECKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  // One for each, because the checks change articles.
  await using service = await startSiteService(join(folder.path, `${name}-data`), articles);
  await check({ site: join(folder.path, name), service, articles, changes, packs });
}

/** Sites of `create-rostrum-site`, which name what they need themselves. */
async function checkTemplate(template: "astro" | "next", { site, service }: SiteTest): Promise<void> {
  mkdirSync(site);
  const scores = await checkCreatedSite({
    template,
    folder: site,
    packs,
    service,
    port: await freePort(),
    env: environment(),
    npm,
  });
  tell(`new-${template}`, `Lighthouse: ${JSON.stringify(scores)}`);
}
