/**
 * `npm run test:sites -- [NAME…]`: follows the guides of docs/sites from an empty folder. It packs the client and the kits, installs
 * each generator with npm, builds the code that the guide shows, and checks every page. Where pages are rendered on request, it then
 * changes articles while pages are visited through a slow network, and counts pages that are still old one second after their webhook
 * was accepted. It also runs the client on other runtimes. It needs npm's registry, so it is not a part of `npm test`.
 *
 * `--articles N` and `--changes N` make a larger site and more changes, `--screenshots FOLDER` saves pictures of the new sites. As in CI,
 * `--look-after SECONDS` leaves a busy machine more time until pages are looked at, `--before DATE` installs nothing that was published
 * later, and `--skip-without-registry` ends when the registry does not answer.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tempFolder } from "../helpers/folder.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { checkAstro, checkAstroServer } from "./astro.ts";
import { checkCreatedSite } from "./created-site.ts";
import { checkGo, checkPhp, checkPython } from "./languages.ts";
import { checkEleventy, checkHugo, checkJekyll } from "./markdown-files.ts";
import { checkNextTags, checkNextUseCache } from "./next.ts";
import { checkNuxt } from "./nuxt.ts";
import { checkRuntimes } from "./runtimes.ts";
import { startSiteService } from "./service.ts";
import { environment, npm, RegistryError, ROOT, type SiteTest, tell } from "./site.ts";
import { checkSvelteKit } from "./sveltekit.ts";

const CHECKS: Record<string, (test: SiteTest) => Promise<void>> = {
  client: checkRuntimes,
  next: checkNextTags,
  "next-use-cache": checkNextUseCache,
  astro: checkAstro,
  "astro-server": checkAstroServer,
  sveltekit: checkSvelteKit,
  nuxt: checkNuxt,
  python: checkPython,
  php: checkPhp,
  go: checkGo,
  eleventy: checkEleventy,
  hugo: checkHugo,
  jekyll: checkJekyll,
  "new-astro": (test) => checkTemplate("astro", test),
  "new-next": (test) => checkTemplate("next", test),
};
const KITS = ["client", "kits/next", "kits/astro"];
/** The site of `next` has two languages. */
const TRANSLATED = 10;
const CREATE_SITE = "kits/create-rostrum-site";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    articles: { type: "string", default: "300" },
    changes: { type: "string", default: "100" },
    "look-after": { type: "string", default: "1" },
    before: { type: "string" },
    screenshots: { type: "string" },
    "skip-without-registry": { type: "boolean", default: false },
  },
});
const unknown = positionals.filter((name) => !(name in CHECKS));
if (unknown.length > 0)
  throw new Error(`No such site: ${unknown.join(", ")}. There are ${Object.keys(CHECKS).join(", ")}.`);

if (values.before !== undefined) process.env["npm_config_before"] = values.before;

await using folder = await tempFolder();
const packs = join(folder.path, "packs");
mkdirSync(packs);
const chosen = Object.entries(CHECKS).filter(([name]) => positionals.length === 0 || positionals.includes(name));
const needed = chosen.some(([name]) => name.startsWith("new-")) ? [...KITS, CREATE_SITE] : KITS;
await npm(ROOT, "pack", ...needed.flatMap((kit) => ["--workspace", kit]), "--pack-destination", packs);
const [articles, changes] = [Number(values.articles), Number(values.changes)];
const lookAfterMs = Number(values["look-after"]) * 1000;
for (const [name, check] of chosen) {
  // One service per runtime, because the checks change articles.
  await using service = await startSiteService(
    join(folder.path, `${name}-data`),
    articles,
    name === "next" ? TRANSLATED : 0,
  );
  const start = performance.now();
  try {
    await check({ site: join(folder.path, name), service, articles, changes, lookAfterMs, packs });
    tell(name, `followed in ${Math.round((performance.now() - start) / 1000)} s`);
  } catch (error) {
    if (!values["skip-without-registry"] || !(error instanceof RegistryError)) throw error;
    tell(name, `skipped, and what follows, too: ${error.message}`);
    break;
  }
}

/** Sites of `create-rostrum-site`, whose package.json lists their dependencies. */
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
    screenshots: values.screenshots,
  });
  tell(`new-${template}`, `Lighthouse: ${JSON.stringify(scores)}`);
}
