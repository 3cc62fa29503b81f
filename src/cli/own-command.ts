import { isAbsolute, join, relative } from "node:path";

const LAUNCHER = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");

/**
 * How this very program is started from `directory`. `npx rostrum` is not that everywhere: where nothing of the name is
 * installed, npm fetches what others have published under it.
 */
export function ownCommand(directory: string): string {
  const near = relative(directory, LAUNCHER);
  const path = near.startsWith("..") || isAbsolute(near) ? LAUNCHER : near;
  return `node ${path.includes(" ") ? JSON.stringify(path) : path}`;
}
