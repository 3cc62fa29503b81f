import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Renames a complete file into place, for generators that watch, also while another command does the same. Follows no link, which
 * could lead elsewhere.
 */
export async function placeFile(path: string, data: string | Uint8Array): Promise<void> {
  const unfinished = join(dirname(path), `.rostrum-pull.${randomBytes(4).toString("hex")}.new`);
  try {
    await writeFile(unfinished, data, { flag: "wx" });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
