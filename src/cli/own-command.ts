import { isAbsolute, join, relative } from "node:path";

const LAUNCHER = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");

/**
 * The command that starts this program from `directory`. `npx rostrum` is not correct everywhere: if no package of the name is
 * installed, npm fetches whatever others have published under it.
 */
export function ownCommand(directory: string): string {
  const near = relative(directory, LAUNCHER);
  const path = near.startsWith("..") || isAbsolute(near) ? LAUNCHER : near;
  return `node ${path.includes(" ") ? JSON.stringify(path) : path}`;
}
