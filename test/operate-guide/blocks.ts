/** The commands of the guide: its `sh` blocks, as a reader would copy them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const DOCUMENTS = ["README.md", "docs/operate.md"] as const;

export interface Block {
  document: string;
  line: number;
  /** The first line, which identifies the block. */
  name: string;
  text: string;
}

export function readBlocks(): Block[] {
  return DOCUMENTS.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ({ 1: body = "", index }) => ({
      document,
      line: text.slice(0, index).split("\n").length + 1,
      name: body.split("\n")[0] ?? "",
      text: body,
    }));
  });
}
