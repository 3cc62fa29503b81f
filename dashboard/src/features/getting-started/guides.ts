/** The guides of docs/sites that this page shows. Their files are what `npm run test:sites` builds and runs. */
import astro from "../../../../docs/sites/astro-server.md?raw";
import next from "../../../../docs/sites/next.md?raw";
import nuxt from "../../../../docs/sites/nuxt.md?raw";
import svelteKit from "../../../../docs/sites/sveltekit.md?raw";
import { readGuide } from "./guide-files.ts";

interface SiteGuide extends ReturnType<typeof readGuide> {
  name: string;
  /** The workspaces whose packages the site installs. */
  packages: readonly string[];
}

export const GUIDES: readonly SiteGuide[] = [
  { name: "Next.js", packages: ["client", "kits/next"], ...readGuide(next) },
  { name: "Astro", packages: ["client", "kits/astro"], ...readGuide(astro) },
  { name: "SvelteKit", packages: ["client"], ...readGuide(svelteKit) },
  { name: "Nuxt", packages: ["client"], ...readGuide(nuxt) },
];
