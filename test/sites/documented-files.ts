/** Writes the files that a guide of docs/sites shows, as they are. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readGuide } from "../../dashboard/src/features/getting-started/guide-files.ts";

const GUIDES = join(import.meta.dirname, "..", "..", "docs", "sites");

export function writeDocumentedFiles(guide: string, folder: string): void {
  for (const { name, code } of readGuide(readFileSync(join(GUIDES, guide), "utf8")).files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
}
