/** The files that the guides of docs/sites show. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readGuide } from "../../dashboard/src/features/getting-started/guide-files.ts";

const GUIDES = join(import.meta.dirname, "..", "..", "docs", "sites");

/** Writes the files unchanged. */
export function writeDocumentedFiles(guide: string, folder: string): void {
  for (const { name, code } of documentedFiles(guide)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
}

/** @returns the code of one file. */
export function documentedFile(guide: string, wanted: string): string {
  const found = documentedFiles(guide).find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`${guide} does not show ${wanted}.`);
  return found.code;
}

export function documentedFiles(guide: string) {
  return parseGuide(guide).files;
}

/** The names of the variables that the guide asks for. */
export function documentedVariables(guide: string): string[] {
  return parseGuide(guide).variables;
}

function parseGuide(guide: string) {
  return readGuide(readFileSync(join(GUIDES, guide), "utf8"));
}
