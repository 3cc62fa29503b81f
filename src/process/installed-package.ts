import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Of the checkout, or of the installed package. */
export const ROOT = join(import.meta.dirname, "..", "..");

export const VERSION = readVersion();

export const DASHBOARD_FOLDER = join(ROOT, "dashboard", "dist");

/** Whether the dashboard is built: a checkout may lack it. */
export function hasDashboard(): boolean {
  return existsSync(join(DASHBOARD_FOLDER, "index.html"));
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) return String(manifest.version);
  throw new Error("package.json has no version");
}
