/**
 * `npm run sbom`, a part of `npm run build`: writes sbom.cdx.json, the CycloneDX bill of materials of the release: the
 * service's packages, and those that dashboard/dist and the viewer of `/docs` are built from. Reproducible for the same
 * package-lock.json and npm.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPackages } from "./build-dashboard.ts";

const ROOT = join(import.meta.dirname, "..");
/** Size limit of npm's list of all packages. */
const MAX_OUTPUT_MB = 64;

interface Lock {
  packages: Record<string, { version?: string; name?: string; license?: string; dev?: boolean; link?: boolean }>;
}

interface Component {
  "bom-ref": string;
  name: string;
  purl: string;
  licenses?: { license: { name: string } }[];
}

interface Bom {
  serialNumber?: string;
  metadata: { timestamp?: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** A development package whose viewer script is part of an installed package. */
export const VIEWER = "node_modules/@scalar/fastify-api-reference";

if (import.meta.main) writeFileSync(join(ROOT, "sbom.cdx.json"), buildSbom(bundledPackages()));

/** @param dashboard are the packages of the dashboard, named as in package-lock.json. */
export function buildSbom(dashboard: readonly string[]): string {
  const bundled = new Set([...dashboard, VIEWER]);
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
  const bom = askNpm();
  const delivered = new Map(
    Object.entries(lock.packages)
      .filter(
        ([path, { dev, link }]) =>
          path.includes("node_modules/") && link !== true && (dev !== true || bundled.has(path)),
      )
      .map(([path, { name, version, license }]) => [
        `${name ?? path.slice(path.lastIndexOf("node_modules/") + 13)}@${version}`,
        license,
      ]),
  );
  // npm's own filter, --omit=dev, would drop packages that both the service and a development package need.
  const components = bom.components.filter((one) => delivered.has(one["bom-ref"])).toSorted(byRef);
  for (const component of components) {
    // npm leaves out a licence that is no SPDX identifier, such as "BSD".
    const name = delivered.get(component["bom-ref"]);
    if (name !== undefined) component.licenses ??= [{ license: { name } }];
  }
  const root = bom.metadata.component;
  const known = new Set([root["bom-ref"], ...components.map((one) => one["bom-ref"])]);
  const dependencies = bom.dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => known.has(one)).toSorted() }))
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
  // npm uses the folder's name.
  root.name = "rostrum";
  delete bom.serialNumber;
  delete bom.metadata.timestamp;
  return `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`;
}

function byRef(a: Component, b: Component): number {
  return a["bom-ref"] < b["bom-ref"] ? -1 : 1;
}

function askNpm(): Bom {
  // With NODE_ENV=production npm would omit the packages that the dashboard is built from.
  return JSON.parse(runNpm(["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--include=dev"])) as Bom;
}

/** Runs npm in the checkout. @returns its output. */
export function runNpm(args: readonly string[]): string {
  // oxlint-disable-next-line no-restricted-properties -- the npm that runs this script
  const npm = process.env["npm_execpath"];
  const options = { cwd: ROOT, encoding: "utf8", maxBuffer: MAX_OUTPUT_MB * 1024 ** 2 } as const;
  return npm === undefined
    ? execFileSync("npm", args, { ...options, shell: process.platform === "win32" })
    : execFileSync(process.execPath, [npm, ...args], options);
}
