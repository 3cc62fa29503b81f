/** The files that a guide of docs/sites shows: a name in bold code at the start of a line, and the next block of code. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const GUIDES = join(import.meta.dirname, "..", "..", "docs", "sites");

/** Writes the guide's files into the folder, as they are. @returns their names. */
export function writeDocumentedFiles(guide: string, folder: string): string[] {
  const names: string[] = [];
  for (const part of readFileSync(join(GUIDES, guide), "utf8")
    .split(/^(?=\*\*`)/m)
    .slice(1)) {
    const [, name] = /^\*\*`([^`]+)`\*\*/.exec(part) ?? [];
    const [, code] = /^```\w+\n([\s\S]*?)^```$/m.exec(part) ?? [];
    if (name === undefined || code === undefined) throw new Error(`${guide} shows no code after ${part.slice(0, 40)}`);
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
    names.push(name);
  }
  return names;
}
