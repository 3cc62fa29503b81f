/** The commands of the guides: their `sh` blocks, as a reader would copy them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
/** What users read; CONTRIBUTING.md is for developers. */
const DOCUMENTS = ["README.md", "docs/**/*.md", "client/README.md", "kits/*/README.md"];

export interface Block {
  document: string;
  line: number;
  /** The first line, which identifies the block. */
  name: string;
  text: string;
}

export function readBlocks(): Block[] {
  return globSync(DOCUMENTS, { cwd: ROOT }).flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ({ 1: body = "", index }) => ({
      document,
      line: text.slice(0, index).split("\n").length + 1,
      name: body.split("\n")[0] ?? "",
      text: body,
    }));
  });
}

/** The commands of a block, as a reader counts them: neither comments nor continued lines. */
export function countCommands(text: string): number {
  const lines = text.replaceAll(/\\\n/g, "").replaceAll(/\|\n/g, "| ").split("\n");
  return lines.filter((line) => line.trim() !== "" && !line.startsWith("#")).length;
}
